/// What somebody may have meant who wrote a name that nothing has.
package enum NearestName {
  /// The name with the smallest edit distance to this one; nil when the distance is too large for a
  /// typing error.
  package static func nearest(to name: String, among names: [String]) -> String? {
    let typed = Array(name.lowercased().unicodeScalars)
    // No name is that long, and the distance takes time that grows with the length.
    guard typed.count <= 30 else { return nil }
    let distances = names.map { ($0, distance(typed, Array($0.unicodeScalars))) }
    guard let best = distances.min(by: { $0.1 < $1.1 }) else { return nil }
    return best.1 <= max(1, min(typed.count, best.0.count) / 3) ? best.0 : nil
  }

  /// The number of characters that must be changed, deleted, inserted, or exchanged with their
  /// neighbor to change one text into the other (optimal string alignment).
  private static func distance(_ first: [Unicode.Scalar], _ second: [Unicode.Scalar]) -> Int {
    var before: [Int] = []
    var previous = Array(0...second.count)
    for (row, character) in first.enumerated() {
      var current = [row + 1]
      for (column, other) in second.enumerated() {
        var cost = min(
          previous[column] + (character == other ? 0 : 1), previous[column + 1] + 1,
          current[column] + 1)
        if row > 0, column > 0, character == second[column - 1], other == first[row - 1] {
          cost = min(cost, before[column - 1] + 1)
        }
        current.append(cost)
      }
      (before, previous) = (previous, current)
    }
    return previous[second.count]
  }
}

/// What takes back a change that was asked for.
struct BrowseUndo: Sendable, Hashable {
  /// What it takes back.
  let change: EpisodeChange
  /// What was true of each episode before.
  var before: [String: EpisodeChange]
}

/// Changes that can be taken back, and how.
extension BrowseModel {
  /// How many changes can be taken back.
  private static let mostUndos = 100

  /// Stars episodes, or ends that if all are starred.
  mutating func star(_ rows: [EpisodeRow]) -> [BrowseEffect] {
    let isStarred = !rows.allSatisfy(\.isStarred)
    return ask(.starred(isStarred), ofRows: rows.filter { $0.isStarred != isStarred }) {
      .starred($0.isStarred)
    }
  }

  /// Marks episodes as played, or as unplayed if all are played.
  mutating func markPlayed(_ rows: [EpisodeRow]) -> [BrowseEffect] {
    let isPlayed = !rows.allSatisfy(\.isPlayed)
    return ask(.played(isPlayed), ofRows: rows.filter { $0.isPlayed != isPlayed }) {
      .played($0.isPlayed, at: $0.position)
    }
  }

  /// Removes episodes. Only complete files go to the trash.
  mutating func remove(_ rows: [EpisodeRow]) -> [BrowseEffect] {
    let hasTrash = hasTrash
    return ask(.removed, ofRows: rows) { hasTrash && $0.state == .complete ? .restored : nil }
  }

  private mutating func ask(
    _ change: EpisodeChange, ofRows rows: [EpisodeRow], before: (EpisodeRow) -> EpisodeChange?
  ) -> [BrowseEffect] {
    var undo = BrowseUndo(change: change, before: [:])
    for row in rows { undo.before[row.key] = before(row) }
    if !undo.before.isEmpty { undos = undos.suffix(Self.mostUndos - 1) + [undo] }
    return ask(change, of: rows.map(\.key))
  }

  /// Takes back what was done last.
  mutating func undo() -> [BrowseEffect] {
    guard let undo = undos.popLast() else {
      message = "There is nothing to undo."
      return []
    }
    let groups = Dictionary(grouping: undo.before.keys.sorted()) { undo.before[$0] ?? .restored }
    return groups.sorted { $0.value[0] < $1.value[0] }.flatMap { ask($0.key, of: $0.value) }
  }

  /// A change is not done: there is nothing to take back of it. What was to take one back can be tried
  /// again, unless there is no use in it.
  mutating func forgetUndo(of change: EpisodeChange, _ keys: [String], isFinal: Bool) {
    if change == .restored {
      guard !isFinal else { return }
      let before = Dictionary(keys.map { ($0, EpisodeChange.restored) }) { first, _ in first }
      undos.append(BrowseUndo(change: .removed, before: before))
    } else if let place = undos.lastIndex(where: { $0.change == change }) {
      for key in keys { undos[place].before[key] = nil }
      if undos[place].before.isEmpty { undos.remove(at: place) }
    }
  }
}

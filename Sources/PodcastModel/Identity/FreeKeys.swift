/// The keys that no episode of a listing has yet.
///
/// A publisher may list thousands of items that have the same values for their keys. Each takes the
/// first free key; trying all of them from the first on each time would take quadratic time.
struct FreeKeys {
  private var used: Set<String>
  /// By the first key with a number of those that share their numbers, the next one to try.
  private var next: [String: Int] = [:]

  /// Creates it with the keys that are taken.
  init(used: [String]) { self.used = Set(used) }

  /// Takes a key; false if it is not free.
  mutating func take(_ key: String) -> Bool { used.insert(key).inserted }

  /// Takes the first free key of an episode.
  ///
  /// - Parameter key: the keys by number, from 0 on. If two episodes have the same key with the
  ///   number 1, they have the same ones with all later numbers.
  mutating func take(_ key: (Int) -> String) -> String {
    let plain = key(0)
    if take(plain) { return plain }
    let first = key(1)
    var number = next[first] ?? 1
    while true {
      let candidate = number == 1 ? first : key(number)
      number += 1
      guard take(candidate) else { continue }
      next[first] = number
      return candidate
    }
  }
}

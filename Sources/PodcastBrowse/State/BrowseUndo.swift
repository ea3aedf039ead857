/// A change that was asked for, and what takes it back.
struct BrowseUndo: Sendable, Hashable {
  /// What was changed; nil for what is not of episodes.
  let change: EpisodeChange?
  /// Of what it is true.
  var keys: Set<String>
  /// What was true of each episode before, as far as that can be again; empty if it cannot.
  var before: [String: EpisodeChange] = [:]
  /// What takes back a change of settings; nil if it is about something else.
  var setting: SettingChange?
  /// The source of a podcast that is followed no longer; nil if it is about something else.
  var unfollowed: String?

  /// Whether anything takes it back.
  var isPossible: Bool { !before.isEmpty || setting != nil || unfollowed != nil }
}

/// Changes that can be taken back, and how.
extension BrowseModel {
  /// How many changes are remembered.
  private static let mostUndos = 100
  /// How many titles are remembered.
  private static let mostTitles = 10_000

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

  /// Brings removed episodes back from the trash.
  mutating func restore(_ rows: [EpisodeRow]) -> [BrowseEffect] {
    let removed = rows.filter { $0.state == .removed }
    if removed.isEmpty { message = "Only removed episodes can be restored." }
    let hasTrash = hasTrash
    return ask(.restored, ofRows: removed) { _ in hasTrash ? .removed : nil }
  }

  private mutating func ask(
    _ change: EpisodeChange, ofRows rows: [EpisodeRow], before: (EpisodeRow) -> EpisodeChange?
  ) -> [BrowseEffect] {
    var undo = BrowseUndo(change: change, keys: Set(rows.map(\.key)))
    for row in rows { undo.before[row.key] = before(row) }
    if titles.count > Self.mostTitles { titles = [:] }
    for row in rows { titles[row.key] = row.title }
    remember(undo)
    return ask(change, of: rows.map(\.key))
  }

  /// Remembers a change, so that the next undo does not take back an earlier one without a word.
  mutating func remember(_ undo: BrowseUndo) {
    guard !undo.keys.isEmpty else { return }
    if !undo.isPossible, let last = undos.last, !last.isPossible, last.change == undo.change {
      return undos[undos.count - 1].keys.formUnion(undo.keys)
    }
    undos = undos.suffix(Self.mostUndos - 1) + [undo]
  }

  /// Takes back what was done last, and says what that was.
  mutating func undo() -> [BrowseEffect] {
    guard let undo = undos.popLast() else {
      message = "There is nothing to undo."
      return []
    }
    if let setting = undo.setting { return [.set(setting)] }
    if let source = undo.unfollowed { return [.followAgain(source)] }
    guard undo.isPossible else {
      // It is said once for all of them.
      while let last = undos.last, !last.isPossible { undos.removeLast() }
      message = "The last change cannot be undone."
      return []
    }
    let groups = Dictionary(grouping: undo.before.keys.sorted()) { undo.before[$0] ?? .restored }
      .sorted { $0.value[0] < $1.value[0] }
    let removed = undo.before.filter { $0.value == .removed }.mapValues { _ in
      EpisodeChange.restored
    }
    remember(BrowseUndo(change: .removed, keys: Set(removed.keys), before: removed))
    message = groups.map { "\(Self.undone($0.key)): \(named($0.value))" }.joined(separator: "; ")
    return groups.flatMap { ask($0.key, of: $0.value) }
  }

  /// What taking back a change does.
  private static func undone(_ change: EpisodeChange) -> String {
    switch change {
    case .starred(let isStarred): isStarred ? "Starred again" : "Unstarred again"
    case .played(let isPlayed, _): isPlayed ? "Marked as played again" : "Marked as unplayed again"
    case .removed: "Removing again"
    default: "Restoring"
    }
  }

  /// The title of one episode, or how many there are.
  func named(_ keys: [String]) -> String {
    guard keys.count == 1 else { return "\(keys.count) episodes" }
    return row(keys[0])?.title ?? titles[keys[0]] ?? "1 episode"
  }

  /// A change is not done: there is nothing to take back of it. What was to take one back can be tried
  /// again, unless there is no use in it.
  mutating func forgetUndo(of change: EpisodeChange, _ keys: [String], isFinal: Bool) {
    let isAsked = undos.contains { $0.change == change && !$0.keys.isDisjoint(with: keys) }
    if change == .restored, !isAsked {
      guard !isFinal else { return }
      let before = Dictionary(keys.map { ($0, EpisodeChange.restored) }) { first, _ in first }
      return remember(BrowseUndo(change: .removed, keys: Set(keys), before: before))
    }
    for key in keys {
      let place = undos.lastIndex { $0.change == change && $0.keys.contains(key) }
      guard let place else { continue }
      undos[place].keys.remove(key)
      undos[place].before[key] = nil
      if undos[place].keys.isEmpty { undos.remove(at: place) }
    }
  }
}

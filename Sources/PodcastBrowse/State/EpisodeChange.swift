/// A change of episodes that a key asks for. It says what is to be true, not what is to be turned over:
/// what a key means is decided once, by the row that the person saw.
package enum EpisodeChange: Sendable, Hashable {
  /// Whether it is a favorite.
  case starred(Bool)
  /// Whether it was played, and where playing continues.
  case played(Bool, at: Duration? = nil)
  /// Its file is removed, or brought back from the trash.
  case removed, restored
  /// It is downloaded.
  case wanted
  /// Its download is paused, or goes on.
  case paused(Bool)
  /// Its download stops, and what arrived is kept.
  case cancelled
  /// Its unfinished download is forgotten, and what arrived is deleted.
  case forgotten

  /// What is true of an episode after it.
  func change(_ facts: inout EpisodeFacts) {
    switch (self, facts.state) {
    case (.starred(let isStarred), _): facts.isStarred = isStarred
    case (.played(let isPlayed, let position), _):
      (facts.isPlayed, facts.position) = (isPlayed, position)
    case (.removed, _): facts.state = .removed
    case (.restored, _): facts.state = .complete
    case (.wanted, let state): if !state.isActive, state != .complete { facts.state = .queued }
    case (.paused(true), .running(let received, let total)),
      (.paused(true), .retrying(let received, let total)):
      facts.state = .paused(received: received, total: total)
    case (.paused(false), .paused(let received, let total)):
      facts.state = .running(received: received, total: total)
    case (.paused, _): break
    case (.cancelled, let state):
      guard state.isActive else { break }
      let (received, total) = state.bytes ?? (0, nil)
      facts.state = received > 0 ? .partial(received: received, total: total) : .remote
    case (.forgotten, let state): if state.isUnfinished { facts.state = .remote }
    }
  }

  /// Whether its answer alone says that it is done. Of downloads, states tell.
  fileprivate var isDoneWhenAnswered: Bool {
    switch self {
    case .starred, .played, .removed, .restored: true
    case .wanted, .paused, .cancelled, .forgotten: false
    }
  }
}

/// What changes of an episode while it is shown.
struct EpisodeFacts: Sendable, Hashable {
  var isStarred = false
  var isPlayed = false
  var position: Duration?
  var state = EpisodeState.remote
}

/// The changes of an episode that were asked for and have no answer yet.
struct AskedChanges: Sendable {
  /// What is true without them.
  var known: EpisodeFacts
  /// In the order in which they were asked for.
  private(set) var changes: [EpisodeChange] = []

  init(_ known: EpisodeFacts) { self.known = known }

  /// What will be true after them.
  var facts: EpisodeFacts { changes.reduce(into: known) { $1.change(&$0) } }

  mutating func add(_ change: EpisodeChange) { changes.append(change) }

  /// Takes the answer to a change.
  mutating func answer(_ change: EpisodeChange, isDone: Bool) {
    guard let place = changes.firstIndex(of: change) else { return }
    changes.remove(at: place)
    if isDone, change.isDoneWhenAnswered { change.change(&known) }
  }
}

extension EpisodeRow {
  var facts: EpisodeFacts {
    get {
      EpisodeFacts(isStarred: isStarred, isPlayed: isPlayed, position: position, state: state)
    }
    set {
      (isStarred, isPlayed, position) = (newValue.isStarred, newValue.isPlayed, newValue.position)
      state = newValue.state
    }
  }
}

/// What was asked for is shown at once, and stays until its answer comes, whatever is told meanwhile. So
/// the next key acts on what the person means, however fast it follows.
extension BrowseModel {
  /// Asks for a change of episodes.
  mutating func ask(_ change: EpisodeChange, of keys: [String]) -> [BrowseEffect] {
    for key in keys {
      if change == .wanted, let row = row(key) { wantedRows[key] = row }
      var changes = asked[key] ?? AskedChanges(facts(of: key))
      changes.add(change)
      asked[key] = changes
      showAsked(key)
    }
    switch change {
    case .wanted, .cancelled, .forgotten: remember(BrowseUndo(change: change, keys: Set(keys)))
    case .starred, .played, .removed, .restored, .paused: break
    }
    return keys.isEmpty ? [] : [.change(keys, change)]
  }

  /// Takes the answer to a change: whether it is done.
  mutating func takeAnswer(
    to change: EpisodeChange, of keys: [String], isDone: Bool
  ) -> [BrowseEffect] {
    for key in keys {
      guard asked[key] != nil else { continue }
      asked[key]?.answer(change, isDone: isDone)
      showAsked(key)
      if asked[key]?.changes.isEmpty == true { asked[key] = nil }
    }
    // What a list shows that was read before may be older.
    if !isDone { return [.loadLibrary] }
    switch change {
    case .played: return isNewWanted ? [.loadLibrary] : []
    case .removed, .restored: return savedLoading == .loaded ? [.loadLibrary] : []
    case .starred, .wanted, .paused, .cancelled, .forgotten: return []
    }
  }

  private func facts(of key: String) -> EpisodeFacts {
    var facts = row(key)?.facts ?? EpisodeFacts()
    if let state = states[key] { facts.state = state }
    return facts
  }

  /// Shows an episode as it will be after what was asked for.
  func withAsked(_ row: EpisodeRow) -> EpisodeRow {
    guard let facts = asked[row.key]?.facts else { return row }
    var row = row
    row.facts = facts
    return row
  }

  private mutating func showAsked(_ key: String) {
    guard let facts = asked[key]?.facts else { return }
    if states[key] != nil || facts.state != row(key)?.state {
      show(facts.state, of: key)
    }
    updateRow(key) { $0.facts = facts }
  }
}

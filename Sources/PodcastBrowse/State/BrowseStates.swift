/// The states of episodes, which are newer than the lists that they are in.
extension BrowseModel {
  /// Takes the episodes of the library. What has ended is on the disk as they say, except why it failed.
  mutating func takeSaved(_ list: RowList<EpisodeRow>) {
    states = states.filter { key, state in
      if case .failed = state { list.row(key: key)?.state != .complete } else { state.isActive }
    }
    saved.take(list)
    for (key, state) in states { saved.update(key) { $0.state = state } }
  }

  /// A row with the state that is newer than the list it came in.
  func current(_ row: EpisodeRow) -> EpisodeRow {
    guard let state = states[row.key] else { return row }
    // Another podget may have downloaded what failed here.
    if case .failed = state, row.state == .complete { return row }
    var row = row
    row.state = state
    return row
  }

  mutating func change(_ key: String, to state: EpisodeState) -> [BrowseEffect] {
    let before = states[key]
    states[key] = state
    updateRow(key) { row in
      row.state = state
      if let total = state.bytes?.total { row.size = total }
    }
    if case .failed(let reason) = state { message = reason }
    guard savedLoading == .loaded else { return [] }
    switch state {
    case .complete, .partial, .removed, .remote:
      // A reading that began before this may be on its way, and shows an earlier state.
      return [.loadLibrary]
    case .running, .paused, .retrying:
      // What the library gets is not in its list yet.
      return before?.bytes == nil && saved.row(key: key) == nil ? [.loadLibrary] : []
    case .queued, .failed, .missing: return []
    }
  }

  /// The row of an episode, in the podcast or in the library.
  func row(_ key: String) -> EpisodeRow? {
    podcast?.list.row(key: key) ?? saved.row(key: key) ?? new.row(key: key)
  }

  mutating func updateRow(_ key: String, _ change: (inout EpisodeRow) -> Void) {
    podcast?.list.update(key, change)
    saved.update(key, change)
    new.update(key, change)
  }
}

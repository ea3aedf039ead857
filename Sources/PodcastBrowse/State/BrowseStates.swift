/// The states of episodes, which are newer than the lists that they are in.
extension BrowseModel {
  /// Takes the episodes of the library. What has ended is on the disk as they say, except why it failed.
  mutating func takeSaved(_ list: RowList<EpisodeRow>) {
    for key in asked.keys {
      guard let row = list.row(key: key), let state = asked[key]?.known.state else { continue }
      asked[key]?.known = row.facts
      if state.isActive || state.isFailed, row.state != .complete {
        asked[key]?.known.state = state
      }
    }
    states = states.filter { key, state in
      asked[key] != nil || state.isActive
        || state.isFailed && list.row(key: key)?.state != .complete
    }
    speeds = speeds.filter { states[$0.key]?.isTransferred == true }
    let before = saved
    saved.take(list)
    let first = saved.rows.first?.podcast
    hasManyPodcasts = saved.rows.contains { $0.podcast != first }
    areDownloadsStale = true
    for (key, state) in states { saved.update(key) { $0.state = state } }
    for (key, asked) in asked {
      show(asked.facts.state, of: key)
      saved.update(key) { $0.facts = asked.facts }
    }
    // An open podcast was read before.
    for row in podcast?.list.rows ?? [] where states[row.key] == nil && asked[row.key] == nil {
      var facts = row.facts
      if let read = list.row(key: row.key) {
        facts = read.facts
      } else if before.row(key: row.key) != nil, row.state != .removed, row.state != .remote {
        // Another podget has removed it, or forgotten what was begun.
        facts.state = row.state.isUnfinished ? .remote : .removed
      }
      if facts != row.facts { podcast?.list.update(row.key) { $0.facts = facts } }
    }
  }

  /// A row with what is newer than the list it came in.
  func current(_ row: EpisodeRow) -> EpisodeRow {
    guard asked[row.key] == nil else { return withAsked(row) }
    guard let state = states[row.key] else { return row }
    // Another podget may have downloaded what failed here.
    if state.isFailed, row.state == .complete { return row }
    var row = row
    row.state = state
    return row
  }

  /// Takes the state of an episode.
  mutating func change(_ key: String, to state: EpisodeState) -> [BrowseEffect] {
    let before = asked[key]?.known.state ?? states[key]
    asked[key]?.known.state = state
    let shown = asked[key]?.facts.state ?? state
    show(shown, of: key)
    updateRow(key) { row in
      row.state = shown
      if let total = state.bytes?.total { row.size = total }
    }
    if case .failed(let reason) = state { complain(reason) }
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

  /// Takes how many bytes of a partial episode another program has by now.
  mutating func grow(_ key: String, to bytes: Int64) {
    guard asked[key] == nil, case .partial(_, let total)? = row(key)?.state else { return }
    let state = EpisodeState.partial(received: bytes, total: total)
    if states[key] != nil { states[key] = state }
    updateRow(key) { $0.state = state }
  }

  /// Notes the state of an episode that is shown from now on.
  mutating func show(_ state: EpisodeState, of key: String) {
    if states[key]?.rank != state.rank { areDownloadsStale = true }
    states[key] = state
    if !state.isTransferred { speeds[key] = nil }
    if !state.isUnfinished { wantedRows[key] = nil }
  }

  /// The row of an episode, in the podcast or in the library.
  func row(_ key: String) -> EpisodeRow? {
    podcast?.list.row(key: key) ?? saved.row(key: key) ?? new.row(key: key)
      ?? trash.row(key: key) ?? wantedRows[key]
  }

  mutating func updateRow(_ key: String, _ change: (inout EpisodeRow) -> Void) {
    podcast?.list.update(key, change)
    saved.update(key, change)
    new.update(key, change)
    trash.update(key, change)
    if tab == .downloads { downloads.update(key, change) }
    if var row = wantedRows[key] {
      change(&row)
      wantedRows[key] = row
    }
  }
}

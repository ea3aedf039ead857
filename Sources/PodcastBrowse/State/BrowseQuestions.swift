import BrowseScreen
import PodcastModel

/// What is done to many episodes, or cannot be undone, and the questions before that.
extension BrowseModel {
  mutating func downloadAll() -> [BrowseEffect] {
    episodes.map { downloadOrAsk($0.shownRows) } ?? []
  }

  /// Downloads episodes, after a question if there are many.
  mutating func downloadOrAsk(_ rows: [EpisodeRow]) -> [BrowseEffect] {
    let wanted = downloadable(rows)
    guard wanted.count > Self.mostUnasked else { return download(rows) }
    question = .download(wanted.map(\.key), bytes: ByteSum.of(wanted.map(\.size)))
    return []
  }

  mutating func cancelAll() -> [BrowseEffect] {
    let active = states.filter(\.value.isActive).keys.sorted()
    guard !active.isEmpty else { return [.stopSync("Nothing is being downloaded.")] }
    message = "\(counted(active.count, "download")) cancelled; what arrived is kept."
    return ask(.cancelled, of: active) + [.stopSync("")]
  }

  /// Asks whether the unfinished downloads of the list are to be forgotten.
  mutating func askToForget() {
    let rows = episodes?.shownRows.filter { $0.state.isUnfinished } ?? []
    guard !rows.isEmpty else {
      message = "Nothing in this list is unfinished."
      return
    }
    question = .forget(
      rows.map(\.key), bytes: ByteSum.of(rows.map { $0.state.bytes?.received }))
  }

  /// Takes the key that answers a question: only y is a yes.
  mutating func answer(_ question: Question, _ key: Key) -> [BrowseEffect] {
    self.question = nil
    let isYes = key == .character("y") || key == .character("Y")
    switch question {
    case .download(let keys, _):
      guard isYes else {
        message = "Nothing is downloaded."
        return []
      }
      defer { unmark(keys) }
      return download(keys.compactMap { row($0) })
    case .forget(let keys, _):
      guard isYes else {
        message = "Nothing is forgotten."
        return []
      }
      return ask(.forgotten, of: keys)
    case .sync:
      guard isYes else {
        message = "Nothing is checked."
        return []
      }
      message = "Checking all feeds; new episodes are downloaded."
      return [.sync(nil)]
    case .unsubscribe(let source, _):
      guard isYes else {
        message = "It is still followed."
        return []
      }
      remember(BrowseUndo(change: nil, keys: [source], unfollowed: source))
      return [.unsubscribe(source)]
    case .remove(let removal):
      guard isYes else {
        message = "Nothing is removed."
        return []
      }
      defer { unmark(removal.keys) }
      return remove(removal.keys.compactMap { row($0) })
    case .empty(let keys, let files, _):
      guard isYes else {
        message = "Nothing is deleted."
        return []
      }
      defer { unmark(keys) }
      remember(BrowseUndo(change: nil, keys: Set(keys)))
      return [.deleteFromTrash(keys, files: files)]
    }
  }

  /// Takes all marks of the list away if one of these episodes has one.
  private mutating func unmark(_ keys: [String]) {
    guard let marked = episodes?.markedRows, !marked.isEmpty,
      !Set(keys).isDisjoint(with: marked.map(\.key))
    else { return }
    changeList { $0.unmark() }
  }

  /// Removes episodes, after a question if something cannot be brought back, or if there are several.
  mutating func removeOrAsk(_ rows: [EpisodeRow]) -> [BrowseEffect] {
    let wanted = rows.filter { row in
      switch row.state {
      case .complete, .missing, .partial, .failed: true
      case .queued, .running, .paused, .retrying, .remote, .removed: false
      }
    }
    guard !wanted.isEmpty else {
      message =
        rows.contains(where: \.state.isActive)
        ? "Cancel the download first." : "There is nothing to remove."
      return []
    }
    let lost = wanted.filter { row in
      switch row.state {
      case .complete: !hasTrash
      case .partial(let received, _): received > 0
      // What arrived before it failed is on the disk.
      default: row.state.isFailed
      }
    }
    guard !lost.isEmpty || rows.count > 1 else { return remove(wanted) }
    let sizes = lost.map { row in
      row.state == .complete ? row.size : row.state.bytes?.received
    }
    let visible = overlay == nil ? episodes?.visibleKeys(height: listHeight) : nil
    question = .remove(
      Removal(
        wanted.map(\.key),
        trashed: hasTrash ? wanted.count { $0.state == .complete } : 0, deleted: lost.count,
        bytes: sizes.contains(nil) ? nil : ByteSum.of(sizes),
        unseen: visible.map { keys in wanted.count { !keys.contains($0.key) } } ?? 0))
    return []
  }

  private func counted(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun) is" : "\(count) \(noun)s are"
  }

  /// The episodes that can be downloaded: what is there, runs or waits already is left out.
  func downloadable(_ rows: [EpisodeRow]) -> [EpisodeRow] {
    rows.filter { row in
      guard !row.state.isActive, row.state != .complete else { return false }
      // What was removed comes back only if it is named, and so does what was only marked as played.
      return row.state != .removed && !(row.state == .remote && row.isPlayed) || rows.count == 1
    }
  }

  /// Asks for episodes once.
  mutating func download(_ rows: [EpisodeRow]) -> [BrowseEffect] {
    let wanted = downloadable(rows)
    guard !wanted.isEmpty else {
      message =
        rows.count == 1 && rows.first?.state == .complete
        ? "It is complete." : "There is nothing to download."
      return []
    }
    if wanted.count > 1 { message = "\(wanted.count) episodes are queued." }
    return ask(.wanted, of: wanted.map(\.key))
  }
}

extension BrowseModel {
  /// What a removal of episodes does.
  package struct Removal: Sendable, Hashable {
    /// The keys of the episodes.
    package var keys: [String]
    /// How many of them go to the trash.
    package var trashed = 0
    /// How many are deleted for good, and how many bytes these have, if known.
    package var deleted = 0
    package var bytes: Int64? = 0
    /// How many of them are not on the screen now.
    package var unseen = 0

    /// How many have no file, and are only forgotten.
    package var forgotten: Int { keys.count - trashed - deleted }

    /// A removal of episodes.
    package init(
      _ keys: [String], trashed: Int = 0, deleted: Int = 0, bytes: Int64? = 0, unseen: Int = 0
    ) {
      self.keys = keys
      (self.trashed, self.deleted, self.bytes, self.unseen) = (trashed, deleted, bytes, unseen)
    }
  }
}

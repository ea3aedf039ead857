internal import CFiles
import FoundationEssentials
import Glibc
import PodcastModel
import PodcastTransfer

/// Records the files of a batch under their new names.
extension MoveBatch {
  /// Records the files, and then removes the old files of those that were copied. Lines that were
  /// added in the old folder in the meantime move along.
  ///
  /// A file that cannot be recorded under its new name gets the old one back.
  ///
  /// - Returns: the moves that are recorded.
  func record() throws(DiskError) -> [FileMove] {
    guard !items.isEmpty else { return [] }
    do throws(DiskError) {
      try recordPlaced()
    } catch {
      // Files that are recorded by now, by this podget or by another one, stay. The next reading
      // looks for the rest.
      if target == nil { try? source.refresh() } else { try? target?.refresh() }
      putBack()
      hasStrays = true
      throw error
    }
    putBack()
    for item in items where !isRecorded(item) {
      let error = DiskError(
        EBUSY, "move", item.name.text, reason: "its record has changed meanwhile")
      failures[item.move.key] = error.podgetError
    }
    let recorded = items.filter(isRecorded)
    for item in recorded {
      // A file that was created under the old name in the meantime is not podget's, and stays.
      if case .copied(let before) = item.placement {
        do throws(DiskError) {
          _ = try source.folder.remove(item.name.text, ifStill: before)
        } catch {
          hasStrays = true
        }
      }
      otherMoves.removeCopied(item.otherMoves)
    }
    return recorded.map(\.move)
  }

  /// Moves of files beside episodes; which names are free does not matter any more.
  private var otherMoves: BelongingMoves {
    BelongingMoves(source: source.folder, target: (target ?? source).folder)
  }

  private func isRecorded(_ item: Item) -> Bool {
    (target ?? source).contents.entry(item.move.key)?.file == item.newName
  }

  private func recordPlaced() throws(DiskError) {
    // Before a record says that a file exists, its name must be durable.
    try (target ?? source).folder.synchronize(to.text)
    guard target == nil else {
      try recordInBoth()
      return
    }
    try source.update { record in
      items.flatMap { item -> [FolderFact] in
        guard let now = record.contents.entry(item.move.key), now.hasSameFile(as: item.entry)
        else { return [] }
        return now.with(item.others).arrival(as: item.newName, after: now)
      }
    }
  }

  /// First in the new folder, so that the file is always in at least one record.
  private func recordInBoth() throws(DiskError) {
    var told: [EpisodeKey: FolderContents.Entry] = [:]
    var isSynchronized = false
    try source.update { record throws(DiskError) in
      var arriving: [(item: Item, entry: FolderContents.Entry, told: FolderContents.Entry?)] = []
      var withdrawn: [Item] = []
      for item in items {
        let key = item.move.key
        let now = record.contents.entry(key)
        if let now, now.hasSameFile(as: item.entry) {
          arriving.append((item, now, told[key]))
          told[key] = now
        } else if told.removeValue(forKey: key) != nil, now?.file != nil {
          // Not if the file has left: the process that found it in its new place has recorded it
          // there.
          withdrawn.append(item)
        }
      }
      try target?.update { there in
        func parts(_ item: Item) -> EpisodeParts {
          there.contents.entry(item.move.key)?.parts ?? EpisodeParts()
        }
        return arriving.flatMap { item, now, told in
          told == now
            ? []
            : now.with(item.others).arrival(as: item.newName, after: told, over: parts(item))
        } + withdrawn.map { $0.entry.departure(over: parts($0)) }
      }
      // What another process has said of an episode there since stays, and so does the file here.
      let departures = arriving.filter { item, _, _ in
        target?.contents.entry(item.move.key)?.file == item.newName
      }.map(\.entry.departure)
      if !isSynchronized { try record.folder.synchronize(from.text) }
      isSynchronized = true
      return departures
    }
    try target?.refresh()
  }

  /// Gives files that are not recorded under their new names the old ones back. If that fails, the
  /// list of moves still names them.
  private func putBack() {
    let folder = (target ?? source).folder
    // The last name may depend on an earlier one.
    for item in items.reversed() where !isRecorded(item) {
      if !otherMoves.undo(item.otherMoves) { hasStrays = true }
      guard case .moved = item.placement else { continue }
      do throws(DiskError) {
        _ = try Self.place(item.newName.text, in: folder, as: item.name.text, in: source.folder)
      } catch {
        hasStrays = true
      }
    }
  }
}

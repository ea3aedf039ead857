internal import CFiles
package import FoundationEssentials
import Glibc
import PodcastModel
package import PodcastTransfer
import Synchronization

/// Gives finished parts their final names and records them: the last steps, in an order that is
/// safe if the power fails at any point.
///
/// Downloads that end at the same time are committed together, as databases do: one sync of a
/// folder and one sync of its record are enough for all of them.
package final class Committer: Sendable {
  private struct Job: Sendable {
    var order: Order
    var completion: @Sendable (Result<FinishedFile, DiskError>) -> Void
  }

  private struct State {
    var jobs: [Job] = []
    var isWorking = false
  }

  let library: Library
  let partials: PartialFolder
  private let trashDays: Int
  let belongings: BelongingStore
  private let now: @Sendable () -> Date
  private let state = Mutex(State())

  /// - Parameters:
  ///   - trashDays: for how many days a file that is replaced stays in the trash; 0 keeps none.
  ///   - keptFree: how many bytes stay free on the disk: otherwise nothing is written beside the
  ///     parts; nil for no limit.
  package init(
    library: Library, partials: PartialFolder, trashDays: Int = 7, keptFree: Int64? = nil,
    now: @escaping @Sendable () -> Date
  ) {
    self.library = library
    self.partials = partials
    self.trashDays = trashDays
    belongings = BelongingStore(library, keptFree: keptFree)
    self.now = now
  }

  /// Commits one part, and calls `completion` when it is durable under its final name and recorded.
  ///
  /// It blocks on the disk: a caller that arrives while others are being committed leaves the work
  /// to them.
  package func commit(
    _ order: Order, _ completion: @escaping @Sendable (Result<FinishedFile, DiskError>) -> Void
  ) {
    let isWorking = state.withLock { state in
      state.jobs.append(Job(order: order, completion: completion))
      defer { state.isWorking = true }
      return state.isWorking
    }
    if !isWorking { work() }
  }

  private func work() {
    while true {
      let jobs = state.withLock { state in
        defer { state.jobs = [] }
        if state.jobs.isEmpty { state.isWorking = false }
        return state.jobs
      }
      if jobs.isEmpty { return }
      for folder in Dictionary(grouping: jobs, by: \.order.plan.file.folder) {
        let results = commit(folder.value.map(\.order), in: folder.key)
        for (job, result) in zip(folder.value, results) {
          job.completion(result)
        }
      }
    }
  }

  private func commit(
    _ orders: [Order], in place: RelativePath
  ) -> [Result<FinishedFile, DiskError>] {
    let orders = orders.map(checked)
    defer { for order in orders { order.tagged?.end() } }
    do throws(DiskError) {
      let folder = try withDescriptors { () throws(DiskError) in
        try library.episodeFolder(place)
      }
      let path = FolderSpelling.path(of: folder, openedAs: place, in: library.root)
      // A process that created the folder and was killed may not have synced the parent folder.
      if folder.status(of: FolderRecords.name) == nil { try parent(of: path).synchronize(path) }
      try partials.synchronize()
      let placed = orders.map { order in
        Result { () throws(DiskError) in try self.place(order, in: folder) }
      }
      var names = OwnedNames()
      let texts = zip(orders, placed).map { order, placed in
        (try? placed.get()).map { placed in
          belongings.writeTexts(
            of: order.plan, beside: placed.name, in: folder, &names, mayBeThere: placed.isCopy)
        } ?? []
      }
      // Before a record line says that a file exists, its name must be durable.
      try folder.synchronize(path)
      var facts: [FolderFact] = []
      for ((order, placed), texts) in zip(zip(orders, placed), texts) {
        guard let placed = try? placed.get() else { continue }
        facts.append(
          fact(
            order.plan, in: folder, file: placed.name, order.committed, isKept: order.isKept, texts,
            marks: order.marks))
      }
      if !facts.isEmpty {
        try withDescriptors { () throws(DiskError) in
          try FolderRecords.append(facts, in: folder) { orders.allSatisfy(\.flag.isSet) }
        }
      }
      return zip(orders, placed).map { order, placed in
        placed.map { placed in
          // What is not done is done by the next command that changes the library.
          try? order.tagged?.noteRecorded()
          if placed.isCopy || order.tagged != nil { order.part.remove() }
          removeReplaced(order, by: placed.name, in: folder)
          order.log.remove()
          return FinishedFile(
            path: LibraryPath.join(path, placed.name.text), bytes: order.committed.count,
            sha256: order.committed.sha256)
        }
      }
    } catch {
      return orders.map { _ in .failure(error) }
    }
  }

  private func parent(of path: String) throws(DiskError) -> OpenFile {
    try OpenFile.folder(LibraryPath.split(path).folder, in: library.root, creating: false)
  }

  private func place(
    _ order: Order, in folder: OpenFile
  ) throws(DiskError) -> (name: EntryName, isCopy: Bool) {
    let plan = order.plan
    let first = "\(plan.stem).\(order.fileExtension)"
    let path = RelativePath(LibraryPath.join(plan.folder, first))
    var noted = order.finalName ?? EntryName("\(plan.stem).\(plan.announcedExtension)")
    // A foreign file that was created in the meantime is never replaced; the name gets a suffix
    // instead.
    for suffix in EpisodeIdentity.nameEndings(plan.key) {
      let name = "\(plan.stem)\(suffix).\(order.fileExtension)"
      guard let candidate = EntryName(name) else {
        throw DiskError(ENAMETOOLONG, "rename the finished file to", name)
      }
      if candidate != noted {
        // Recorded first, so that a killed process's rename is recognized.
        var line = PartialLine()
        line.finalName = candidate
        try order.log.append(line, isDurable: true)
        noted = candidate
      }
      let replaces = suffix.isEmpty && path != nil && path == order.replaces
      let flag = order.flag
      if replaces { try keepReplaced(candidate, order, in: folder) }
      try order.tagged?.requireName()
      switch try order.file.place(
        as: candidate.text, in: folder, replacing: replaces, isCancelled: { flag.isSet })
      {
      case .renamed: return (candidate, false)
      case .copied: return (candidate, true)
      case .taken: continue
      }
    }
    throw DiskError(EEXIST, "rename the finished file to", first)
  }

  /// The order without the file that it replaces, unless that file is recorded for the same episode
  /// in the plan's own folder: a plan may come from anywhere, and name any file of the library.
  private func checked(_ order: Order) -> Order {
    guard let replaces = order.replaces else { return order }
    if let (path, name) = replaces.split, path == order.plan.file.folder,
      let folder = try? OpenFile.folder(path, in: library.root, creating: false),
      let facts = try? FolderRecords.read(in: folder),
      let entry = FolderContents(facts, in: folder).entry(order.plan.episodeKey),
      entry.finishedFile == name, entry.fileStatus(in: folder) != nil
    {
      return order
    }
    var order = order
    order.replaces = nil
    return order
  }

  /// Keeps a file in the trash that another version is about to replace under its name: its owner
  /// may have edited it.
  private func keepReplaced(
    _ name: EntryName, _ order: Order, in folder: OpenFile
  ) throws(DiskError) {
    guard trashDays > 0,
      try !order.file.hasSameBytes(
        as: name.text, in: folder,
        isCancelled: {
          order.flag.isSet
        })
    else { return }
    let place = order.plan.file.folder
    try Trash(of: library).folder(for: folder, at: place, keptUntil: keptUntil)
      .keep(name.text, of: folder, key: order.plan.key, keptUntil: keptUntil)
  }

  /// Moves the file that was downloaded again to the trash, if the new one has another name: its
  /// content may be of another type.
  private func removeReplaced(_ order: Order, by name: EntryName, in folder: OpenFile) {
    guard let (oldFolder, oldName) = order.replaces?.split,
      let holder = try? OpenFile.folder(oldFolder, in: library.root, creating: false),
      let old = holder.status(of: oldName.text), let new = folder.status(of: name.text),
      old.inode != new.inode || old.device != new.device
    else { return }
    guard trashDays > 0, old.is_regular || old.is_link else {
      unlinkat(holder.number, oldName.text, 0)
      return
    }
    // The new file is recorded, so one that the trash cannot take stays where it is.
    guard
      let trash = try? Trash(of: library).folder(
        for: holder, at: oldFolder, keptUntil: keptUntil)
    else { return }
    try? trash.take(oldName.text, from: holder, key: order.plan.key, keptUntil: keptUntil)
    try? trash.synchronize()
  }

  private var keptUntil: Date { now() + Double(trashDays) * 86_400 }

  /// What is recorded of a finished file with the texts beside it; a star, and what this podget does not
  /// know, stays.
  func fact(
    _ plan: DownloadPlan, in folder: OpenFile, file: EntryName, _ committed: CommittedBytes,
    isKept: Bool, _ texts: [EpisodeFile], marks: [EpisodeMark] = []
  ) -> FolderFact {
    var podcast = StoredPodcast(plan.podcast)
    podcast.artworkUrl = nil
    let time = now()
    var entry = FolderContents.Entry(
      key: plan.episodeKey, podcast: podcast, episode: StoredEpisode(plan.episode), file: file,
      bytes: committed.count, sha256: committed.sha256, audio: committed.audio,
      receivedSHA256: committed.receivedSHA256, downloadedAt: time.timestamp)
    let known = try? library.entry(plan.episodeKey, in: folder, at: plan.file.folder)
    if let known {
      entry.parts = known.parts
      // Those of a removed episode have gone with it.
      if known.removedAt == nil { entry.otherFiles = known.otherFiles }
    }
    entry.otherFiles += texts.filter { text in !entry.otherFiles.contains { $0.role == text.role } }
    // Until they are there: a kill in between loses none of them.
    if !plan.belongings.isEmpty {
      entry.wanted = plan.belongings.filter { !entry.has($0.kind) }.compactMap { offer in
        guard var wanted = WantedBelonging(offer) else { return nil }
        (wanted.tries, wanted.tried) = (1, time)
        return wanted
      }
    }
    for mark in marks { _ = entry.take(mark) }
    if isKept { entry.isKept = true }
    return FolderFact(.finished, entry, at: time)
  }
}

import FoundationEssentials
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// Stores the states of feeds, several at a time, and each one only when the episodes that it lists
/// are safe: a state that says more than the disk knows would hide episodes forever.
actor FeedStateWriter {
  /// How often states are stored while feeds are still being read.
  private static let interval = Duration.seconds(5)

  private let library: Library
  private let disk: DiskPool
  private var lines: [FeedLine] = []
  /// What the feeds listed, encoded while others are awaited.
  private var lists: [Task<ListedStore.Encoded?, Never>] = []
  /// The episodes of `lines` whose records must be durable first.
  private var keys: [String] = []
  private var lastStored = ContinuousClock.now
  /// Why states could not be stored; the first error.
  private(set) var failure: PodgetError?

  /// Stores states in a library; `disk` does the work.
  init(_ library: Library, disk: DiskPool) {
    self.library = library
    self.disk = disk
  }

  /// Adds the state of a feed.
  ///
  /// - Parameters:
  ///   - plans: the keys of the episodes that were planned because of it.
  ///   - listing: what the feed listed; nil if it was not read.
  func add(
    _ line: FeedLine, plans: [String] = [], listing: ListedStore.Listing? = nil
  ) async {
    lines.append(line)
    if let listing { lists.append(Task.detached { ListedStore.Encoded(listing) }) }
    keys += plans
    guard lastStored.duration(to: .now) > Self.interval else { return }
    await store()
  }

  /// Stores everything that was added.
  func store() async {
    lastStored = .now
    guard !lines.isEmpty else { return }
    let (lines, keys, library, encoding) = (lines, keys, library, lists)
    (self.lines, self.keys, lists) = ([], [], [])
    do throws(DiskError) {
      try await disk.run { () throws(DiskError) in
        if !keys.isEmpty {
          try PartialFolder(library: library.root).synchronize(recordsOf: keys)
        }
        try FeedStateLog(library).append(lines)
      }
    } catch {
      // The next sync reads these feeds again.
      failure = failure ?? error.podgetError
    }
    var encoded: [ListedStore.Encoded] = []
    for list in encoding { if let list = await list.value { encoded.append(list) } }
    // They may be lost: the next sync reads what is not there.
    await disk.perform { [encoded] in try? ListedStore(library).store(encoded) }
  }
}

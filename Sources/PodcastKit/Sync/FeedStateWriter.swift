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
  /// What the feeds listed.
  private var listings: [ListedStore.Listing] = []
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
    if let listing { listings.append(listing) }
    keys += plans
    guard lastStored.duration(to: .now) > Self.interval else { return }
    await store()
  }

  /// Stores everything that was added.
  func store() async {
    lastStored = .now
    guard !lines.isEmpty else { return }
    let (lines, keys, library, listings) = (lines, keys, library, listings)
    self.lines = []
    self.listings = []
    self.keys = []
    do throws(DiskError) {
      try await disk.run { () throws(DiskError) in
        if !keys.isEmpty {
          try PartialFolder(library: library.root).synchronize(recordsOf: keys)
        }
        try FeedStateLog(library).append(lines)
        // It may be lost: the next sync reads what it lacks.
        try? ListedStore(library).store(listings)
      }
    } catch {
      // The next sync reads these feeds again.
      failure = failure ?? error.podgetError
    }
  }
}

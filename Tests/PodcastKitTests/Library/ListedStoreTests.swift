import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel

@Suite("What feeds listed") struct ListedStoreTests {
  private let folders: LibraryFolders
  private let store: ListedStore

  init() throws {
    folders = try LibraryFolders()
    store = ListedStore(folders.library)
  }

  private func list(_ feed: String, body: String) throws -> ListedStore.Encoded {
    var listing = ListedStore.Listing(
      feed: feed, podcast: Podcast(title: "P"),
      items: [
        ListedStore.Item(
          key: EpisodeKey(named: "e").text,
          Episode(title: "E", enclosure: Enclosure(url: "https://a.example/e.mp3")), isNew: true)
      ])
    listing.body = body
    return try #require(ListedStore.Encoded(listing))
  }

  @Test("a feed is read for its list once for each body") func once() throws {
    // What was never read is read anyway.
    #expect(store.unlisted(of: ["a": "1", "new": ""]) == ["a"])
    #expect(store.unlisted(of: ["a": "1", "new": ""]).isEmpty)
    #expect(store.unlisted(of: ["a": "2", "new": ""]) == ["a"])
    try store.store([list("a", body: "2"), list("b", body: "1")])
    #expect(store.unlisted(of: ["a": "2", "b": "1"]).isEmpty)
    #expect(store.unlisted(of: ["a": "3", "b": "1"]) == ["a"])
    #expect(try store.listing(of: "b")?.items.count == 1)
    // The lists of others go.
    #expect(store.unlisted(of: ["a": "3"]).isEmpty)
    #expect(try store.listing(of: "b") == nil && store.listing(of: "a")?.items.count == 1)
  }

  @Test("a folder that another process has locked holds nothing up") func locked() throws {
    try store.store([list("a", body: "1")])
    let folder = open(folders.folder.path(".podget"), O_RDONLY | O_CLOEXEC)
    try #require(flock(folder, LOCK_EX) == 0)
    defer { close(folder) }
    #expect(store.unlisted(of: ["a": "2"]).isEmpty)
    #expect(throws: LibraryDatabase.Failure.unavailable) { _ = try store.listing(of: "a") }
    #expect(throws: LibraryDatabase.Failure.unavailable) {
      try store.store([list("a", body: "2")])
    }
  }

  /// The store waits for some seconds, so nothing here waits for a turn among other tests.
  @Test("a damaged store is replaced when the others who use podget's files let go") func shared()
    throws
  {
    try store.store([list("a", body: "1")])
    try Data("no database".utf8).write(to: URL(filePath: folders.folder.path(".podget/listed.db")))
    let folder = open(folders.folder.path(".podget"), O_RDONLY | O_CLOEXEC)
    try #require(flock(folder, LOCK_SH) == 0)
    let watch = inotify_init1(Int32(IN_CLOEXEC))
    inotify_add_watch(watch, folders.folder.path(".podget/listed.db"), UInt32(IN_CLOSE))
    defer { close(watch) }
    let library = folders.library
    let unlisted = Mutex<Set<String>>([])
    let end = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let found = ListedStore(library).unlisted(of: ["a": "1"])
      unlisted.withLock { $0 = found }
      end.signal()
    }
    // It has found the damage when it closes the file.
    var event = pollfd(fd: watch, events: Int16(POLLIN), revents: 0)
    #expect(poll(&event, 1, Int32(patience / .milliseconds(1))) == 1)
    close(folder)
    end.wait()
    #expect(unlisted.withLock { $0 } == ["a"])
  }
}

import Glibc
import TestSupport
import Testing

@testable import PodcastTransfer

@Suite("Open files") struct OpenFileTests {
  @Test("a wait for a lock ends when it is cancelled", .timeLimit(.minutes(5)))
  func cancelledLock() throws {
    let place = try TemporaryFolder()
    let holder = try OpenFile.folder(place.path, creating: false)
    let other = try OpenFile.folder(place.path, creating: false)
    #expect(flock(holder.number, LOCK_EX) == 0)
    var looks = 0
    #expect(throws: DiskError.self) {
      try other.waitForLock("folder") {
        looks += 1
        return looks == 3
      }
    }
    #expect(looks == 3)
    #expect(flock(holder.number, LOCK_UN) == 0)
    try other.waitForLock("folder") { true }
    #expect(flock(holder.number, LOCK_EX | LOCK_NB) != 0)
  }

  @Test("one of podget's own files is never read through a link, unless the user named it")
  func links() throws {
    let place = try TemporaryFolder()
    try place.write("victim", "mine")
    #expect(symlink("victim", place.path("record")) == 0)
    let folder = try OpenFile.folder(place.path, creating: false)
    let refusal = #expect(throws: DiskError.self) {
      try OpenFile.ownFile("record", in: folder, limit: 100)
    }
    #expect(refusal?.number == ELOOP)
    let file = try OpenFile.ownFile("record", in: folder, limit: 100, followsLinks: true)
    #expect(Array(try file.readAll("record", limit: 100)) == Array("mine".utf8))
  }
}

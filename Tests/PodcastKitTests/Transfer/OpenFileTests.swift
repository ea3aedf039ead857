import Glibc
import TestSupport
import Testing

@testable import PodcastTransfer

@Suite("File descriptors") struct FileDescriptorTests {
  @Test("a wait for a lock ends when it is cancelled", .timeLimit(.minutes(1)))
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
}

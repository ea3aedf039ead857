import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import PodcastTransfer

@Suite("A lane") struct LaneTests {
  private struct Log: ~Copyable, Sendable {
    var entries: [Int] = []
  }

  @Test("work from many threads is done one piece at a time, that of each in order")
  func order() async {
    let lane = Lane(Log(), on: DiskPool(threads: 4))
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for number in 0..<200 { lane.run { $0.entries.append(task * 1000 + number) } }
        }
      }
    }
    let entries = await lane.perform { $0.entries }
    #expect(entries.count == 1600)
    for task in 0..<8 {
      #expect(entries.filter { $0 / 1000 == task } == (0..<200).map { task * 1000 + $0 })
    }
  }

  @Test("who finds it in use does not wait, and work that comes meanwhile is done afterwards")
  func inUse() async {
    let lane = Lane(Log(), on: DiskPool(threads: 1))
    let inner = lane.use { log -> Bool in
      log.entries.append(1)
      lane.run { $0.entries.append(3) }
      log.entries.append(2)
      return lane.use { _ in true } ?? false
    }
    #expect(inner == false)
    #expect(await lane.perform { $0.entries } == [1, 2, 3])
    let isUsed = lane.use { log in
      log.entries.append(4)
      return true
    }
    #expect(isUsed == true)
    #expect(await lane.perform { $0.entries } == [1, 2, 3, 4])
  }
}

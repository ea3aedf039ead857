import Dispatch
import Testing

@testable import PodcastKit

@Suite("work that blocks") struct BlockingWorkTests {
  @Test("its result comes back") func result() async {
    #expect(await BlockingWork.run { 42 } == 42)
  }

  @Test("a waiting task can be cancelled while it blocks") func cancelled() async {
    let mayEnd = DispatchSemaphore(value: 0)
    let (started, begin) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      await BlockingWork.run { () -> Int in
        begin.yield()
        mayEnd.wait()
        return 42
      }
    }
    for await _ in started { break }
    task.cancel()
    // The work has not ended, and cannot.
    #expect(await task.value == nil)
    mayEnd.signal()
  }

  @Test("a task that was cancelled before does not wait either") func cancelledBefore() async {
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return await BlockingWork.run { 42 }
    }
    task.cancel()
    #expect(await task.value == nil)
  }
}

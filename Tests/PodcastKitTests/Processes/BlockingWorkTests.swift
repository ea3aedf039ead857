import Dispatch
import Glibc
import Synchronization
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

  @Test("what cancels the work is called before the wait ends") func order() async {
    let mayEnd = DispatchSemaphore(value: 0)
    let isCancelled = Atomic(false)
    let task = Task {
      let result = await BlockingWork.run(whenCancelled: {
        // Long enough that a wait that ends too early is seen.
        for _ in 0..<1000 { sched_yield() }
        isCancelled.store(true, ordering: .releasing)
      }) { () -> Int in
        mayEnd.wait()
        return 42
      }
      return (result, isCancelled.load(ordering: .acquiring))
    }
    task.cancel()
    #expect(await task.value == (nil, true))
    mayEnd.signal()
  }

  @Test("a program that was cancelled before does not start") func neverStarted() {
    let program = ChildProgram(place: .apart)
    program.cancel()
    #expect(throws: ProgramStart.Failure(number: ECANCELED)) {
      _ = try program.run(["sleep", "3600"]) {}
    }
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

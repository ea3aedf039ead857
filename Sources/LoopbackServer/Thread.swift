import Dispatch
import Glibc

/// Runs a body on its own detached thread, counted in a group until it returns.
func spawnThread(in group: DispatchGroup, _ body: @escaping @Sendable () -> Void) throws {
  group.enter()
  let context = Unmanaged.passRetained(
    ThreadBody {
      body()
      group.leave()
    })
  var thread = pthread_t()
  let status = pthread_create(
    &thread, nil,
    { context in
      if let context { Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run() }
      return nil
    }, context.toOpaque())
  guard status == 0 else {
    context.release()
    group.leave()
    throw LoopbackServer.StartError(
      description:
        "The loopback server cannot start a thread: \(String(cString: strerror(status))).")
  }
  pthread_detach(thread)
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void

  init(run: @escaping @Sendable () -> Void) {
    self.run = run
  }
}

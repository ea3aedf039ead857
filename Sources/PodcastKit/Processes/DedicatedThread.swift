import Glibc

/// A thread of our own, for calls that block and must not use Swift's pool.
package struct DedicatedThread: Sendable {
  private let thread: pthread_t

  /// Starts a thread that runs the body once; nil when there can be no more threads.
  package init?(_ body: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Body(body))
    var thread = pthread_t()
    let status = pthread_create(&thread, nil, runBody, box.toOpaque())
    guard status == 0 else {
      box.release()
      return nil
    }
    self.thread = thread
  }

  /// Waits for the body to end. Call either this or ``detach()``, and once.
  package func join() { pthread_join(thread, nil) }

  /// Detaches the thread.
  package func detach() { pthread_detach(thread) }
}

private final class Body: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// A function, not a closure, so that it does not inherit the isolation of its context.
private func runBody(_ box: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let box { Unmanaged<Body>.fromOpaque(box).takeRetainedValue().run() }
  return nil
}

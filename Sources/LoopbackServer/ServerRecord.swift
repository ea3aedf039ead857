import Dispatch
import Glibc
import Synchronization

/// The shared state of the threads of one server: connections, requests, sent bytes.
final class ServerRecord: Sendable {
  private struct State {
    var isStopped = false
    var connections = 0
    var descriptors: [Int: Int32] = [:]
    var log: [LoggedRequest] = []
    var attempts: [String: Int] = [:]
    var serving = 0
    var peak = 0
  }

  private let state = Mutex(State())

  var log: [LoggedRequest] { state.withLock { $0.log } }
  func forgetLog() { state.withLock { $0.log = [] } }
  var peakConcurrency: Int { state.withLock { $0.peak } }
  var openConnections: Int { state.withLock { $0.descriptors.count } }
  var isStopped: Bool { state.withLock { $0.isStopped } }

  /// Adds and numbers a new connection; nil once the server is stopped.
  func register(_ descriptor: Int32) -> Int? {
    state.withLock { state in
      guard !state.isStopped else { return nil }
      state.connections += 1
      state.descriptors[state.connections] = descriptor
      return state.connections
    }
  }

  /// Closes a connection's descriptor; under the lock, so that `stop` never uses a number that the
  /// kernel has reused in the meantime.
  func close(_ connection: Int) {
    state.withLock { state in
      guard let descriptor = state.descriptors.removeValue(forKey: connection) else { return }
      _ = Glibc.close(descriptor)
    }
  }

  /// Ends every connection and refuses new ones; false when that was done before.
  func stop() -> Bool {
    state.withLock { state in
      guard !state.isStopped else { return false }
      state.isStopped = true
      for descriptor in state.descriptors.values {
        _ = shutdown(descriptor, Int32(SHUT_RDWR))
      }
      return true
    }
  }

  /// Logs a request as being served and returns it numbered.
  func begin(_ request: Request) -> Request {
    state.withLock { state in
      var request = request
      state.attempts[request.path, default: 0] += 1
      request.attempt = state.attempts[request.path, default: 1]
      request.number = state.log.count + 1
      state.log.append(LoggedRequest(request: request, status: nil, bytesSent: 0))
      state.serving += 1
      state.peak = max(state.peak, state.serving)
      return request
    }
  }

  func end() {
    state.withLock { $0.serving -= 1 }
  }

  func note(status: Int, request number: Int) {
    state.withLock { state in
      // The log may have been forgotten meanwhile.
      if state.log.indices.contains(number - 1) { state.log[number - 1].status = status }
    }
  }

  func note(sent: Int, request number: Int) {
    state.withLock { state in
      if state.log.indices.contains(number - 1) { state.log[number - 1].bytesSent += Int64(sent) }
    }
  }
}

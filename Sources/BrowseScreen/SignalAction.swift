import Glibc

/// What happens at a signal.
package enum SignalAction {
  /// Whether a signal is ignored, as SIGHUP is under `nohup`.
  package static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}

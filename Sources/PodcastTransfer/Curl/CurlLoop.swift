internal import CCurl
import Glibc
import Synchronization

/// The only thread that calls libcurl, and its mailbox.
///
/// Every libcurl call happens in ``run()``, on its thread, except `curl_multi_wakeup`, which is
/// thread-safe. A command is first put into the mailbox and then announced, and the loop takes all
/// commands before it polls again, so none is missed.
final class CurlLoop: Sendable {
  private enum Command: Sendable {
    case begin(Int, TransferOrder)
    case controlChanged(Int)
  }

  private struct Mailbox {
    var commands: [Command] = []
    var nextNumber = 0
    var isClosed = false
  }

  private let mailbox = Mutex(Mailbox())
  private let configuration: CurlSession.Configuration
  /// Outside the loop thread, only `curl_multi_wakeup` uses it; freed after the thread was joined.
  private nonisolated(unsafe) let multi: UnsafeMutableRawPointer

  /// Nil when libcurl cannot be initialized.
  init?(_ configuration: CurlSession.Configuration) {
    guard Self.globalSetUp == CURLE_OK, let multi = podget_multi_init() else { return nil }
    // By default libcurl keeps four connections for each transfer, and part files may need their
    // descriptors.
    let connections = max(1, min(256, DescriptorLimit.current / 4))
    guard
      podget_multi_setopt_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING)) == CURLM_OK,
      podget_multi_setopt_long(multi, CURLMOPT_MAXCONNECTS, connections) == CURLM_OK
    else {
      podget_multi_cleanup(multi)
      return nil
    }
    self.configuration = configuration
    self.multi = multi
  }

  deinit { podget_multi_cleanup(multi) }

  private static let globalSetUp = podget_curl_set_up()

  /// Passes a transfer to the thread; its completion is called there exactly once.
  func begin(_ order: TransferOrder) {
    let number = mailbox.withLock { mailbox in
      mailbox.nextNumber += 1
      return mailbox.nextNumber
    }
    // Attached before the loop knows the transfer, so that no change of the control is missed.
    order.control.attach { [weak self] in self?.controlChanged(number) }
    let isAccepted = mailbox.withLock { mailbox in
      if !mailbox.isClosed { mailbox.commands.append(.begin(number, order)) }
      return !mailbox.isClosed
    }
    guard isAccepted else { return order.completion(TransferEnd(.aborted)) }
    podget_multi_wakeup(multi)
  }

  /// Makes ``run()`` abort every transfer and return.
  func close() {
    mailbox.withLock { $0.isClosed = true }
    podget_multi_wakeup(multi)
  }

  /// The body of the loop thread.
  func run() {
    let restoreLocale = Self.useUTF8()
    defer { restoreLocale() }
    var transfers: [Int: ActiveTransfer] = [:]
    var numbers: [UnsafeMutableRawPointer: Int] = [:]
    let limiter = configuration.bytesPerSecond.map(RateLimiter.init)
    var lastRefill = ContinuousClock.now

    func finish(_ number: Int, _ end: (ActiveTransfer) -> TransferEnd) {
      guard let transfer = transfers.removeValue(forKey: number) else { return }
      let result = end(transfer)
      if let easy = numbers.first(where: { $0.value == number })?.key {
        podget_multi_remove_handle(multi, easy)
        numbers[easy] = nil
      }
      transfer.close()
      limiter?.forget(number)
      transfer.order.control.detach()
      transfer.order.completion(result)
    }

    func carryOut(_ command: Command) {
      switch command {
      case .begin(let number, let order):
        let transfer = ActiveTransfer(order, configuration.slowLimit)
        if let limiter { transfer.admits = { limiter.admits($0, for: number) } }
        transfers[number] = transfer
        guard order.control.wish != .abort else { return finish(number) { _ in .init(.aborted) } }
        guard let easy = transfer.open(configuration),
          podget_multi_add_handle(multi, easy) == CURLM_OK
        else { return finish(number) { _ in .init(.unusable("libcurl refuses it")) } }
        numbers[easy] = number
      case .controlChanged(let number):
        guard let transfer = transfers[number] else { return }
        let wish = transfer.order.control.wish
        if wish == .abort {
          finish(number) { TransferEnd(.aborted, head: $0.end(CURLE_OK).head) }
        } else if wish == .giveWay {
          finish(number) { $0.end(.slow) }
        } else if let code = transfer.follow(wish) {
          finish(number) { $0.end(code) }
        }
      }
    }

    // One pass, and how many milliseconds to wait for the next one; nil to end. It is a function so
    // that no variable of a pass keeps an ended transfer, and the lock of its file, during the wait.
    func pass() -> Int32? {
      let (commands, isClosed) = mailbox.withLock { mailbox in
        defer { mailbox.commands = [] }
        return (mailbox.commands, mailbox.isClosed)
      }
      commands.forEach(carryOut)
      if isClosed {
        for number in Array(transfers.keys) { finish(number) { _ in .init(.aborted) } }
        return nil
      }
      let reading = transfers.filter { !$0.value.isHeld }
      if let limiter {
        let now = ContinuousClock.now
        limiter.refill(after: now - lastRefill, for: Set(reading.keys))
        lastRefill = now
      }
      for (number, transfer) in reading where limiter?.mayRead(number) ?? false {
        if let code = transfer.unthrottle() { finish(number) { $0.end(code) } }
      }
      // Before the sockets are read: a receiver may block this thread as long as its disk is slow,
      // and data for others that arrived during that is read before they count as stalled.
      let now = ContinuousClock.now
      var running: Int32 = 0
      if podget_multi_perform(multi, &running) != CURLM_OK {
        // It is unknown which of them is affected; each may be retried.
        for number in Array(transfers.keys) {
          finish(number) { TransferEnd(.network("libcurl failed"), head: $0.end(CURLE_OK).head) }
        }
      }
      var queued: Int32 = 0
      while let message = podget_multi_info_read(multi, &queued) {
        guard message.pointee.msg == CURLMSG_DONE, let easy = podget_message_easy(message),
          let number = numbers[easy]
        else { continue }
        let code = podget_message_result(message)
        finish(number) { $0.end(code) }
      }
      var wait = Duration.seconds(1)
      for transfer in transfers.values {
        if let pause = transfer.settle(at: now) { wait = min(wait, pause + .milliseconds(1)) }
        transfer.noteSlowness(at: now)
      }
      for (number, transfer) in transfers where !transfer.isHeld && !transfer.isBackedUp {
        if transfer.isThrottled {
          let pause = limiter?.wait(for: number, among: transfers.count) ?? wait
          wait = min(wait, max(pause, .milliseconds(1)))
          continue
        }
        let left = configuration.stallTimeout - transfer.idleTime(at: now)
        if left <= .zero {
          finish(number) { $0.end(.stalled) }
        } else {
          wait = min(wait, left + .milliseconds(1))
        }
      }
      return Int32(clamping: wait.wholeMilliseconds)
    }

    while let milliseconds = pass() {
      if podget_multi_poll(multi, milliseconds) != CURLM_OK {
        // It returned immediately and would do so again: check the sockets only now and then.
        _ = Glibc.poll(nil, 0, min(milliseconds, 10))
      }
    }
  }

  /// Makes libidn2, which converts host names to ASCII for libcurl, read names as UTF-8. In the
  /// initial locale of a process it accepts only ASCII. Only this thread's locale changes.
  ///
  /// - Returns: a value that restores the locale.
  private static func useUTF8() -> () -> Void {
    guard let locale = newlocale(1 << LC_CTYPE, "C.UTF-8", nil) else { return {} }
    let previous = uselocale(locale)
    return {
      uselocale(previous)
      freelocale(locale)
    }
  }

  private func controlChanged(_ number: Int) {
    mailbox.withLock { $0.commands.append(.controlChanged(number)) }
    podget_multi_wakeup(multi)
  }
}

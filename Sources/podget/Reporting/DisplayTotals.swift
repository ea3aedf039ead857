import PodcastKit

/// The sums over all planned episodes, and the line that shows them.
struct DisplayTotals: Sendable {
  /// How many episodes are planned, including those that ended.
  private(set) var planned = 0

  private var done = 0
  private var failed = 0
  private var finished = 0
  private var finishedBytes: Int64 = 0
  /// Bytes on disk of the running episodes.
  private var runningBytes: Int64 = 0
  /// Bytes received in this run.
  private var arrivedBytes: Int64 = 0
  /// The planned episodes that have not ended.
  private var open: Set<String> = []
  /// Their sizes, if known.
  private var sizes: [String: Int64] = [:]
  /// Their sum; `Double`, because a server may announce any size and sums must not overflow.
  private var knownBytes = 0.0
  private var meter = SpeedMeter()

  /// Adds an event of an episode that had `received` bytes before it.
  mutating func take(_ event: DownloadEvent, received before: Int64, now: Duration) {
    let key = event.plan.key
    switch event.kind {
    case .planned(let total):
      planned += 1
      open.insert(key)
      setSize(total, of: key)
    case .started(let resumedFrom):
      runningBytes = ByteSum.of([runningBytes, resumedFrom])
      if arrivedBytes == 0 { meter.begin(at: 0, now: now) }
    case .progress(let received, let total):
      arrive(received - before, now: now)
      runningBytes = ByteSum.of([runningBytes - before, received])
      if let total { setSize(total, of: key) }
    case .paused, .retrying: break
    case .resumed: meter.begin(at: arrivedBytes, now: now)
    case .restarted: runningBytes -= before
    case .finished(let file):
      arrive(file.bytes - before, now: now)
      finished += 1
      finishedBytes = ByteSum.of([finishedBytes, file.bytes])
      end(key, running: before)
    case .failed:
      failed += 1
      end(key, running: before)
    case .skipped, .cancelled: end(key, running: before)
    }
  }

  /// The size of an episode that has not ended, if known.
  func total(of key: String) -> Int64? { sizes[key] }

  /// The line below all others: how many are done, bytes, speed, time left, keys.
  func line(columns: Int, now: Duration, isPaused: Bool, showsKeys: Bool) -> StyledLine {
    let speed = isPaused ? nil : meter.speed(now: now)
    let count = "\(done)/\(planned)"
    let failures = failed > 0 ? "\(failed) failed" : ""
    let sizes = expected.map {
      ByteText.size(bytes, of: max(Double(bytes), $0.bytes), isEstimate: $0.isEstimate)
    }
    let bytesText = sizes ?? ByteText.size(bytes)
    let speedText = isPaused ? "paused" : speed.map(ByteText.rate) ?? ""
    let time = timeLeft(speed: speed)
    let keys = showsKeys ? "\(isPaused ? "p resume" : "p pause")  q quit" : ""
    let ladder: [[String]] = [
      ["\(count) done", failures, bytesText, speedText, time.isEmpty ? "" : "\(time) left", keys],
      ["\(count) done", failures, bytesText, speedText, time.isEmpty ? "" : "\(time) left"],
      [count, failures, bytesText, speedText, time],
      [count, failures, speedText, time],
      [count, failures, isPaused ? speedText : time],
      [count],
    ]
    for (step, texts) in ladder.enumerated() {
      let width = texts.reduce(-2) { $1.isEmpty ? $0 : $0 + $1.count + 2 }
      guard width <= columns || step == ladder.count - 1 else { continue }
      var line = StyledLine()
      for text in texts where !text.isEmpty {
        if line.width > 0 { line.append("  ") }
        line.append(
          TerminalText.truncated(text, to: columns, mark: ""),
          text == failures ? .red : text == keys ? .dim : .bold)
      }
      return line
    }
    return StyledLine()
  }
}

extension DisplayTotals {
  private var bytes: Int64 { ByteSum.of([finishedBytes, runningBytes]) }

  /// The final size of all episodes; an estimate while the sizes of some are unknown.
  private var expected: (bytes: Double, isEstimate: Bool)? {
    let unknown = Double(planned - done - sizes.count)
    let known = Double(finishedBytes) + knownBytes
    let count = Double(finished + sizes.count)
    guard count > 0, known > 0 else { return nil }
    guard unknown > 0 else { return (known, false) }
    return (known + known / count * unknown, true)
  }

  private func timeLeft(speed: Double?) -> String {
    guard let speed, speed >= 1, let expected, expected.bytes > Double(bytes) else { return "" }
    let left = DurationText.clock(seconds: (expected.bytes - Double(bytes)) / speed)
    return (expected.isEstimate ? "~" : "") + left
  }

  private mutating func arrive(_ bytes: Int64, now: Duration) {
    guard bytes > 0 else { return }
    arrivedBytes = ByteSum.of([arrivedBytes, bytes])
    meter.record(arrivedBytes, now: now)
  }

  private mutating func setSize(_ size: Int64?, of key: String) {
    knownBytes += Double(size ?? 0) - Double(sizes[key] ?? 0)
    sizes[key] = size
  }

  private mutating func end(_ key: String, running: Int64) {
    // What needs no download was not planned.
    if open.remove(key) != nil { done += 1 }
    runningBytes -= running
    setSize(nil, of: key)
  }
}

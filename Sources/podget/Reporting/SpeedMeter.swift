/// The speed of the received bytes: the mean over about the last five seconds.
struct SpeedMeter: Sendable, Hashable {
  private struct Sample: Sendable, Hashable {
    var time: Duration
    var bytes: Int64
  }

  private static let window = Duration.seconds(5)
  private static let spacing = Duration.milliseconds(250)
  /// With less than this, a speed would be a guess.
  private static let shortest = Duration.milliseconds(500)

  private var samples: [Sample] = []
  private var latest: Sample?

  /// Creates an empty meter.
  init() {}

  /// Restarts: these bytes are already there and do not count.
  mutating func begin(at bytes: Int64, now: Duration) {
    let sample = Sample(time: now, bytes: bytes)
    samples = [sample]
    latest = sample
  }

  /// Stops measuring, until ``begin(at:now:)``.
  mutating func stop() {
    samples = []
    latest = nil
  }

  /// Adds the current number of bytes; fewer than before restart the meter.
  mutating func record(_ bytes: Int64, now: Duration) {
    guard let latest, let last = samples.last, bytes >= latest.bytes, now >= latest.time else {
      begin(at: bytes, now: now)
      return
    }
    self.latest = Sample(time: now, bytes: bytes)
    if now == last.time {
      samples[samples.count - 1].bytes = bytes
    } else if now - last.time >= Self.spacing {
      samples.append(Sample(time: now, bytes: bytes))
    }
    // The newest sample before the window stays: it is the beginning of the window.
    while samples.count > 1, now - samples[1].time >= Self.window { samples.removeFirst() }
  }

  /// Bytes per second; nil while there are too few samples. It falls while nothing arrives.
  func speed(now: Duration) -> Double? {
    guard let latest else { return nil }
    guard now - latest.time < Self.window else { return 0 }
    let first = samples.first { now - $0.time <= Self.window } ?? latest
    guard now - first.time >= Self.shortest else { return nil }
    return Double(latest.bytes - first.bytes) / ((now - first.time) / .seconds(1))
  }
}

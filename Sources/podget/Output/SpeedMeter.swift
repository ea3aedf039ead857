/// How fast bytes arrive: the mean over the last five seconds or so.
struct SpeedMeter: Sendable, Hashable {
  private struct Sample: Sendable, Hashable {
    var time: Duration
    var bytes: Int64
  }

  private static let window = Duration.seconds(5)
  private static let spacing = Duration.milliseconds(250)
  /// With less than this to go by, a speed would be a guess.
  private static let shortest = Duration.milliseconds(500)

  private var samples: [Sample] = []
  private var latest: Sample?

  /// Makes a meter that knows nothing yet.
  init() {}

  /// Begins anew: these bytes were there already and are no speed.
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

  /// Takes in how many bytes there are now; fewer than before begin anew.
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
    // The newest sample outside the window stays: it is where the window begins.
    while samples.count > 1, now - samples[1].time >= Self.window { samples.removeFirst() }
  }

  /// Bytes a second; nil while too little is known. It falls while nothing arrives.
  func speed(now: Duration) -> Double? {
    guard let latest else { return nil }
    guard now - latest.time < Self.window else { return 0 }
    let first = samples.first { now - $0.time <= Self.window } ?? latest
    guard now - first.time >= Self.shortest else { return nil }
    return Double(latest.bytes - first.bytes) / ((now - first.time) / .seconds(1))
  }
}

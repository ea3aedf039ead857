import FoundationEssentials
import PodcastLibrary
import PodcastModel

/// What mpv says in a line of its interface (mpv(1), JSON IPC).
///
/// Another program may be called mpv, and scripts of mpv may write anything: what is not understood, or
/// is no possible value, is ignored.
enum PlayerMessage: Sendable, Hashable {
  case position(Duration)
  case duration(Duration)
  case isPaused(Bool)
  case speed(Double)
  case volume(Int)
  /// The file was played to its end.
  case finished
  /// It cannot be played: what mpv says about that, or nothing.
  case failed(String)

  /// The properties that mpv is asked about.
  static let properties = ["time-pos", "duration", "pause", "speed", "volume"]

  /// The speeds that mpv knows.
  private static let speeds = 0.01...100.0
  /// How loud it can be, in percent, whatever its options say.
  private static let volumes = 0.0...1000.0
  private static let longestReason = 200

  private struct Line: Decodable {
    enum Key: String, CodingKey {
      case event, name, data, reason
      case error = "file_error"
    }

    var event: String
    var name: String?
    var number: Double?
    var flag: Bool?
    var reason: String?
    var error: String?

    init(from decoder: any Decoder) throws {
      let line = try decoder.container(keyedBy: Key.self)
      event = try line.decode(String.self, forKey: .event)
      name = try? line.decode(String.self, forKey: .name)
      flag = try? line.decode(Bool.self, forKey: .data)
      number = flag == nil ? try? line.decode(Double.self, forKey: .data) : nil
      reason = try? line.decode(String.self, forKey: .reason)
      error = try? line.decode(String.self, forKey: .error)
    }
  }

  /// Reads a line; nil for what does not matter.
  init?(line: some Collection<UInt8>) {
    guard let line = try? JSONDecoder().decode(Line.self, from: Data(line)) else { return nil }
    switch (line.event, line.name) {
    case ("property-change", "time-pos"):
      guard let time = Self.time(line.number) else { return nil }
      self = .position(time)
    case ("property-change", "duration"):
      guard let time = Self.time(line.number) else { return nil }
      self = .duration(time)
    case ("property-change", "pause"):
      guard let flag = line.flag else { return nil }
      self = .isPaused(flag)
    case ("property-change", "speed"):
      guard let speed = line.number, Self.speeds.contains(speed) else { return nil }
      self = .speed(speed)
    case ("property-change", "volume"):
      guard let volume = line.number, Self.volumes.contains(volume) else { return nil }
      self = .volume(Int(volume.rounded()))
    case ("end-file", _) where line.reason == "eof": self = .finished
    case ("end-file", _) where line.reason == "error":
      self = .failed(String((line.error ?? "").prefix(Self.longestReason)))
    default: return nil
    }
  }

  /// Before the first frame mpv says times that are a little below zero.
  private static func time(_ seconds: Double?) -> Duration? {
    guard let seconds, seconds >= -60, seconds <= EpisodeMark.longestPosition / .seconds(1) else {
      return nil
    }
    return .seconds(max(0, seconds))
  }
}

/// The lines of a stream, however it is cut into pieces. One that is too long is ignored.
struct PlayerLines: Sendable {
  private static let longest = 64 << 10

  private var line: [UInt8] = []
  private var isTooLong = false

  /// Takes further bytes; the lines that are complete now.
  mutating func lines(in bytes: some Sequence<UInt8>) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        if !isTooLong { lines.append(line) }
        line = []
        isTooLong = false
      } else if line.count < Self.longest {
        line.append(byte)
      } else {
        isTooLong = true
      }
    }
    return lines
  }
}

import PodcastKit

/// The line of one running episode: title, bar, percent, sizes, speed and time left, as far as they
/// fit into the window.
struct ProgressLine: Sendable {
  /// The state of the episode.
  enum Activity: Sendable, Hashable {
    case connecting
    case receiving
    case paused
    /// Another attempt begins at this time.
    case waiting(until: Duration, reason: PodgetError.Code)
  }

  /// How much a line shows; each level needs fewer columns than the one before.
  enum Detail: Int, Sendable, Hashable, Comparable, CaseIterable {
    case bar, sizes, timeLeft, speed, percent, title

    /// The most detailed level for a window; the same for all lines, so that their columns align.
    init(columns: Int) {
      switch columns {
      case 72...: self = .bar
      case 58...: self = .sizes
      case 41...: self = .timeLeft
      case 32...: self = .speed
      case 16...: self = .percent
      default: self = .title
      }
    }

    static func < (first: Detail, second: Detail) -> Bool { first.rawValue < second.rawValue }
  }

  /// The episode's title, safe for a terminal.
  var title: String
  /// Bytes on disk.
  var received: Int64 = 0
  /// The size, if known.
  var total: Int64?
  /// The state of the episode.
  var activity = Activity.connecting
  /// Bytes per second, if known.
  var speed: Double?

  /// The line, at most `columns` cells wide.
  func draw(columns: Int, now: Duration, style: TerminalStyle) -> StyledLine {
    let detail = Detail(columns: columns)
    var tail = StyledLine()
    if detail == .bar {
      let bar = Bar(fraction: fraction, width: Self.barWidth(columns: columns), style: style)
      tail.append("  " + bar.done, .cyan)
      tail.append(bar.rest, .dim)
    }
    for field in fields(detail, columns: columns, now: now) {
      tail.append("  ")
      tail.append(field.text, field.look)
    }
    let room = min(max(0, columns - tail.width), Self.widestTitle)
    var line = StyledLine(
      TerminalText.padded(style.truncated(title, to: room), to: room))
    line.beginColumn()
    line.append(tail)
    line.trimEnd()
    return line
  }
}

extension ProgressLine {
  private typealias Field = (text: String, look: StyledLine.Style)

  private static let widestTitle = 90
  private static let narrowestTitle = 12
  private static let percentWidth = 4
  private static let sizesWidth = 13
  private static let speedWidth = 10
  private static let timeWidth = 7

  /// A quarter of the space besides the fixed fields, within limits.
  private static func barWidth(columns: Int) -> Int {
    let fixed = percentWidth + sizesWidth + speedWidth + timeWidth + 5 * 2
    return min(30, max(8, (columns - fixed) / 4))
  }

  private var fraction: Double? {
    guard let total, total > 0 else { return nil }
    return min(1, Double(received) / Double(total))
  }

  private var percent: String { fraction.map { "\(Int($0 * 100))%" } ?? "" }

  private var sizes: String {
    total.map { ByteText.size(received, of: Double($0)) } ?? ByteText.size(received)
  }

  private var timeLeft: String {
    guard let total, total > received, let speed, speed >= 1 else { return "" }
    return DurationText.clock(seconds: (Double(total) - Double(received)) / speed)
  }

  private func fields(_ detail: Detail, columns: Int, now: Duration) -> [Field] {
    var fields: [Field] = []
    switch detail {
    case .bar, .sizes:
      fields.append((Self.right(percent, Self.percentWidth), .plain))
      fields.append((Self.right(sizes, Self.sizesWidth), .plain))
    case .timeLeft, .speed, .percent:
      let measure = total == nil ? ByteText.size(received) : percent
      fields.append((Self.right(measure, Self.percentWidth), .plain))
    case .title: return []
    }
    let used = fields.reduce(detail == .bar ? Self.barWidth(columns: columns) + 2 : 0) {
      $0 + $1.text.count + 2
    }
    if let status = status(room: columns - used - 2 - Self.narrowestTitle, now: now) {
      if detail == .percent { return [status] }
      let width = detail == .speed ? Self.speedWidth : Self.speedWidth + 2 + Self.timeWidth
      return fields + [(Self.right(status.text, width), status.look)]
    }
    if detail <= .speed {
      fields.append((Self.right(speed.map(ByteText.rate) ?? "", Self.speedWidth), .plain))
    }
    if detail <= .timeLeft { fields.append((Self.right(timeLeft, Self.timeWidth), .plain)) }
    return fields
  }

  /// The text instead of speed and time left; nil while bytes arrive.
  private func status(room: Int, now: Duration) -> Field? {
    switch activity {
    case .receiving: return nil
    case .connecting: return ("connecting", .dim)
    case .paused: return ("paused", .yellow)
    case .waiting(let end, let reason):
      guard end > now else { return ("connecting", .dim) }
      let delay = DurationText.delay(end - now)
      let long = "retry in \(delay): \(EventText.reason(reason))"
      return (long.count <= room ? long : "retry \(delay)", .yellow)
    }
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}

/// A bar in two parts; blank while the fraction is unknown.
private struct Bar {
  var done = ""
  var rest = ""

  init(fraction: Double?, width: Int, style: TerminalStyle) {
    guard let fraction else {
      rest = String(repeating: " ", count: width)
      return
    }
    guard style.isUTF8 else {
      let filled = Int(fraction * Double(width))
      done = String(repeating: "#", count: filled)
      rest = String(repeating: "-", count: width - filled)
      return
    }
    let halves = Int(fraction * Double(2 * width))
    done = String(repeating: "━", count: halves / 2) + (halves % 2 == 1 ? "╸" : "")
    rest = String(repeating: "─", count: width - (halves + 1) / 2)
  }
}

import PodcastKit

/// The running downloads, as lines for the bottom of a screen; pure state, it draws nothing.
struct LiveDisplay: Sendable {
  private struct Row: Sendable {
    var key: String
    var line: ProgressLine
    var meter = SpeedMeter()
  }

  private let style: TerminalStyle
  private var rows: [Row] = []
  private var totals = DisplayTotals()
  /// How many feeds are checked, and how many there are.
  private var feeds = (done: 0, total: 0)

  /// Creates a display without episodes.
  init(style: TerminalStyle) {
    self.style = style
  }

  /// Notes how many feeds are checked.
  mutating func checking(_ done: Int, of total: Int) { feeds = (done, total) }

  /// Adds an event; times are from any fixed origin.
  mutating func take(_ event: DownloadEvent, now: Duration) {
    totals.take(event, received: row(event)?.line.received ?? 0, now: now)
    switch event.kind {
    case .planned: break
    case .started(let resumedFrom):
      let title = TerminalText.safe(event.plan.episode.title)
      var row = Row(key: event.plan.key, line: ProgressLine(title: title, received: resumedFrom))
      row.line.total = totals.total(of: event.plan.key)
      row.meter.begin(at: resumedFrom, now: now)
      rows.append(row)
    case .progress(let received, let total):
      change(event) { row in
        row.line.received = received
        row.line.total = total
        row.meter.record(received, now: now)
        if row.line.activity != .paused { row.line.activity = .receiving }
      }
    case .paused:
      change(event) { row in
        row.line.activity = .paused
        row.meter.stop()
      }
    case .resumed:
      change(event) { row in
        row.line.activity = .connecting
        row.meter.begin(at: row.line.received, now: now)
      }
    case .retrying(_, let delay, let reason):
      change(event) { row in
        row.line.activity = .waiting(until: now + delay, reason: reason)
        row.meter.stop()
      }
    case .restarted:
      change(event) { row in
        row.line.received = 0
        row.meter.begin(at: 0, now: now)
      }
    case .finished, .skipped, .failed, .cancelled:
      rows.removeAll { $0.key == event.plan.key }
    }
  }

  /// The lines for a window of this size: none is wider than the window, and there is one fewer
  /// than it has rows.
  func frame(columns: Int, rows height: Int, now: Duration, showsKeys: Bool) -> [StyledLine] {
    let isChecking = feeds.done < feeds.total
    let feedLine = isChecking ? [feedsLine(columns: columns)] : []
    guard totals.planned > 0 else { return height > 1 ? feedLine : [] }
    let isPaused = !rows.isEmpty && rows.allSatisfy { $0.line.activity == .paused }
    let totalLine = totals.line(
      columns: columns, now: now, isPaused: isPaused, showsKeys: showsKeys)
    let room = max(0, height - 2 - feedLine.count)
    let shown = rows.count <= room ? rows.count : max(0, room - 1)
    var lines = rows.prefix(shown).map { row in
      var line = row.line
      line.speed = row.meter.speed(now: now)
      return line.draw(columns: columns, now: now, style: style)
    }
    if shown < rows.count, room > 0 {
      let rest = "\(style.ellipsis) and \(rows.count - shown) more"
      lines.append(StyledLine(style.truncated(rest, to: columns), .dim))
    }
    return (height > 2 ? feedLine : []) + lines + [totalLine]
  }
}

extension LiveDisplay {
  private func feedsLine(columns: Int) -> StyledLine {
    let text = "Checking feeds: \(feeds.done) of \(feeds.total)"
    return StyledLine(style.truncated(text, to: columns), .dim)
  }

  private func row(_ event: DownloadEvent) -> Row? {
    rows.first { $0.key == event.plan.key }
  }

  private mutating func change(_ event: DownloadEvent, _ body: (inout Row) -> Void) {
    guard let index = rows.firstIndex(where: { $0.key == event.plan.key }) else { return }
    body(&rows[index])
  }
}

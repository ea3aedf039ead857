package import BrowseScreen
import FoundationEssentials
import PodcastModel

/// Draws the state.
package enum BrowseView {
  /// The whole screen.
  package static func frame(_ model: BrowseModel, _ look: BrowseLook) -> Frame {
    var frame = Frame(model.size)
    let drawing = BrowseDrawing(model: model, look: look)
    drawing.drawTabs(&frame)
    drawing.drawHeader(&frame)
    if model.overlay != nil {
      drawing.drawText(&frame)
    } else if let list = model.episodes {
      drawing.draw(list, &frame) { row, line, frame in
        drawing.drawEpisode(row, line, &frame)
      }
    } else if let list = model.podcasts {
      drawing.draw(list, &frame) { row, line, frame in
        drawing.drawPodcast(row, line, &frame)
      }
    }
    drawing.drawStatus(&frame)
    if !look.hasColor { frame.removeColors() }
    return frame
  }
}

/// One drawing of a state.
struct BrowseDrawing {
  let model: BrowseModel
  let look: BrowseLook

  /// The first row of a list.
  var firstRow: Int { model.headerRows + 2 }
  var columns: Int { model.size.columns }
  var lastRow: Int { model.size.rows - 1 }

  func drawTabs(_ frame: inout Frame) {
    var column = 0
    for (tab, columns) in BrowseModel.tabColumns {
      column = frame.write(
        " \(tab.rawValue) ", row: 0, column: columns.lowerBound,
        style: model.tab == tab ? [.bold, .reverse] : [])
    }
    let activity = model.activity
    var words: [String] = []
    if activity.running > 0 { words.append("\(activity.running) running") }
    if activity.queued > 0 { words.append("\(activity.queued) queued") }
    if activity.paused > 0 { words.append("\(activity.paused) paused") }
    while words.count > 1,
      columns - TerminalText.width(words.joined(separator: ", ")) - 1 <= column
    {
      words.removeLast()
    }
    var text = words.isEmpty ? "podget" : words.joined(separator: ", ")
    // In a narrow window a number and a mark have to do.
    if activity.running > 0, columns - TerminalText.width(text) - 1 <= column {
      text = "\(activity.running)\(look.mark(.running(received: 0, total: nil)))"
    }
    let start = columns - TerminalText.width(text) - 1
    if start > column {
      frame.write(text, row: 0, column: start, style: words.isEmpty ? .dim : look.theme[.active])
    }
  }

  /// A list, or what there is instead of one.
  func draw<Row: BrowseRow>(
    _ list: RowList<Row>, _ frame: inout Frame, _ drawRow: (Row, Int, inout Frame) -> Void
  ) {
    if list.lines.isEmpty { return drawEmpty(hasRows: !list.rows.isEmpty, &frame) }
    for place in 0..<model.listHeight {
      let line = list.top + place
      guard list.lines.indices.contains(line), firstRow + place < lastRow else { break }
      let row = firstRow + place
      if let item = list.row(line) {
        drawRow(item, row, &frame)
        if list.isMarked(line) {
          frame.write(look.marked, row: row, column: 0, style: look.theme[.mark])
        }
        if line == list.selection { frame.select(row: row) }
      } else if case .heading(let name) = list.lines[line] {
        frame.write(shown(name, to: columns - 2), row: row, column: 1, style: look.theme[.heading])
      }
    }
  }

  func drawPodcast(_ row: PodcastRow, _ line: Int, _ frame: inout Frame) {
    frame.write(
      row.isFollowed ? look.mark(.complete) : " ", row: line, column: 1,
      style: look.theme[.complete])
    let count = model.newCounts[row.key].map { ["\($0) new"] } ?? []
    let note = (count + [row.note].filter { !$0.isEmpty }).joined(separator: ", ")
    let noteWidth = columns >= 60 ? min(20, TerminalText.width(note)) : 0
    let room = columns - 4 - (noteWidth > 0 ? noteWidth + 2 : 0)
    let end = frame.write(shown(row.title, to: room), row: line, column: 3, width: room)
    let rest = room + 3 - end
    if !row.author.isEmpty, rest > 8 {
      let author = "\(look.dash) \(row.author)"
      frame.write(
        shown(author, to: rest - 1), row: line, column: end + 1, width: rest - 1, style: .dim)
    }
    if noteWidth > 0 {
      frame.write(
        shown(note, to: noteWidth), row: line, column: columns - noteWidth - 1, style: .dim)
    }
  }

  /// An episode: marks, title, and as many facts as fit.
  func drawEpisode(_ row: EpisodeRow, _ line: Int, _ frame: inout Frame) {
    let isPlaying = model.player?.key == row.key
    frame.write(
      isPlaying ? look.playing : look.mark(row.state), row: line, column: 1,
      style: color(of: row.state))
    if row.isStarred { frame.write(look.star, row: line, column: 2, style: look.theme[.star]) }
    var end = columns - 1
    var start = 4
    if let width = model.iconColumns {
      if let icon = model.icon(of: row) {
        let area = CellArea(row: line, column: start, rows: 1, columns: width)
        frame.place(FrameImage(icon, area: area))
      }
      start += width + 1
    }
    func finish() {
      let room = end - start
      let title = TerminalText.shortened(printable(row.title), to: room, mark: look.ellipsis)
      frame.write(title, row: line, column: start, width: room)
    }
    func put(_ text: String, width: Int, style: CellStyle, alignsRight: Bool = false) {
      let text = shown(text, to: width)
      let indent = alignsRight ? max(0, width - TerminalText.width(text)) : 0
      frame.write(
        text, row: line, column: end - width + indent, width: width - indent, style: style)
      end -= width + 2
    }
    let stateWidth = columns >= 100 ? 17 : columns >= 60 ? 13 : 8
    let isShown = row.state == .complete || row.state == .remote
    let played = isShown ? BrowseText.played(row) : nil
    let kept = row.keptUntil.map { term(until: $0, columns: stateWidth) }
    put(
      kept ?? played ?? stateText(row.state, columns: stateWidth), width: stateWidth,
      style: color(of: row.state))
    if columns >= 90 {
      put(row.size.map { ByteText.size($0) } ?? "", width: 8, style: .dim, alignsRight: true)
    }
    // What is new is of many podcasts.
    let isOfMany =
      model.tab == .new || model.tab == .downloads || kept != nil
      || model.tab == .saved && model.hasManyPodcasts && model.arrangement.group != .podcast
    if model.tab == .downloads {
      if columns >= 60 { drawSpeed(row) { put($0, width: $1, style: $2, alignsRight: $3) } }
      if columns >= 100 { put(row.podcast, width: columns / 5, style: .dim) }
      return finish()
    }
    if columns >= (isOfMany ? 100 : 72) {
      put(
        row.duration.map { DurationText.clock($0) } ?? "", width: 7, style: .dim,
        alignsRight: true)
    }
    if columns >= 60, kept == nil {
      put(row.date.map { CivilDay($0).description } ?? "", width: 10, style: .dim)
    }
    if columns >= (isOfMany ? 72 : 120), model.tab != .catalog {
      put(row.podcast, width: columns / 5, style: .dim)
    }
    finish()
  }

  /// Until when the trash keeps a file.
  private func term(until date: Date, columns: Int) -> String {
    let day = CivilDay(date).description
    return columns >= 16 ? "until \(day)" : columns >= 10 ? day : String(day.suffix(5))
  }

  /// How fast an episode is being downloaded, and how long that takes.
  private func drawSpeed(
    _ row: EpisodeRow, _ put: (String, Int, CellStyle, Bool) -> Void
  ) {
    let speed = model.speeds[row.key] ?? 0
    let bytes = row.state.bytes
    let left = (bytes?.total ?? row.size).map { max(0, $0 - (bytes?.received ?? 0)) }
    put(left.flatMap { BrowseModel.timeLeft($0, at: speed) } ?? "", 7, .dim, true)
    put(speed > 0 ? "\(ByteText.size(speed))/s" : "", 12, .dim, true)
  }

  private func stateText(_ state: EpisodeState, columns: Int) -> String {
    let percent = state.percent.map { "\($0)%" }
    switch state {
    case .remote: return ""
    case .queued: return "queued"
    case .running:
      guard let number = state.percent, let percent else {
        return state.bytes.map { ByteText.size($0.received) } ?? ""
      }
      guard columns >= 12 else { return percent }
      let text = String(repeating: " ", count: max(0, 4 - percent.count)) + percent
      return look.bar(percent: number, columns: columns - 5) + " " + text
    case .paused:
      return columns >= 12 ? "paused \(percent ?? "")" : percent ?? "paused"
    case .retrying: return "retrying"
    case .partial: return columns >= 12 ? "partial \(percent ?? "")" : percent ?? "partial"
    case .complete: return "complete"
    case .failed: return "failed"
    case .missing: return "missing"
    case .removed: return "removed"
    }
  }

  private func color(of state: EpisodeState) -> CellStyle {
    switch state {
    case .complete: look.theme[.complete]
    case .running, .queued: look.theme[.active]
    case .failed, .missing: look.theme[.failed]
    case .paused, .retrying, .partial: look.theme[.unfinished]
    case .remote, .removed: .dim
    }
  }

  func drawText(_ frame: inout Frame) {
    let top: Int
    var selected = 0..<0
    // How many lines are above the notes, which may have links.
    var above: Int?
    switch model.overlay {
    case .help(let line), .errors(let line): top = line
    case .details(let details):
      top = details.top
      if look.hasLinks { above = BrowseText.above(model, details).count }
      if details.hasTimes { selected = model.wrapped.range(of: details.selection) }
      drawPageNames(details, &frame)
    case .settings(let page):
      top = page.top
      selected = model.wrapped.range(of: page.selection)
    case .words(let page):
      top = page.top
      selected = model.wrapped.range(of: page.selection)
    case nil: return
    }
    let firstRow = firstRow + (model.hasPageNames ? 1 : 0)
    let lines = BrowseText.lines(model).dropFirst(top)
    for (place, line) in lines.enumerated() {
      guard firstRow + place < lastRow else { break }
      frame.write(printable(line), row: firstRow + place, column: 1)
      if let above, let link = model.wrapped.link(ofLine: top + place - above) {
        frame.link(row: firstRow + place, to: link)
      }
      if selected.contains(top + place) { frame.select(row: firstRow + place) }
    }
  }

  /// The pages of the details, if there are several.
  private func drawPageNames(_ details: EpisodeDetailPages, _ frame: inout Frame) {
    guard model.hasPageNames, firstRow < lastRow else { return }
    for (page, range) in model.pageNames {
      frame.write(
        " \(page.title) ", row: firstRow, column: range.lowerBound, width: range.count,
        style: page == details.shown ? [.bold, .reverse] : [])
    }
  }

  func shown(_ text: String, to columns: Int) -> String {
    TerminalText.truncated(printable(text), to: columns, mark: look.ellipsis)
  }

  /// The text in the characters of the terminal.
  func printable(_ text: String) -> String {
    look.isUTF8
      ? text : String(String.UnicodeScalarView(text.unicodeScalars.map { $0.isASCII ? $0 : "?" }))
  }
}

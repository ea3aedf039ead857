import BrowseScreen
import PodcastArtwork
import PodcastModel

/// What the page is, above its list: one row, or an artwork with texts beside it.
extension BrowseDrawing {
  func drawHeader(_ frame: inout Frame) {
    let header = header
    let rows = model.headerRows
    if let artwork = model.artwork {
      draw(artwork.state, in: artwork.space, &frame)
      draw(
        header, from: artwork.space.column + artwork.space.columns + 2, rows: rows, &frame)
    } else {
      draw(header, from: 1, rows: rows, &frame)
    }
    frame.write(
      String(repeating: look.line, count: columns), row: rows + 1, column: 0, style: .dim)
  }

  /// Draws a header: the title with the note on its right, then the other lines.
  private func draw(
    _ header: BrowseHeader, from column: Int, rows: Int, _ frame: inout Frame
  ) {
    let end = columns - 1
    let rest = columns - TerminalText.width(header.line) - 4
    let note = note(header.note, columns: max(columns / 2 - 1, rest))
    let noteWidth = TerminalText.width(note)
    let hasNote = noteWidth > 0
    let room = end - column - (hasNote ? noteWidth + 1 : 0)
    if hasNote { frame.write(note, row: 1, column: end - noteWidth, style: .dim) }
    let title =
      rows == 1
      ? [header.line] : cut(WrappedText.lines(header.title, columns: room), to: max(1, rows - 3))
    for (place, line) in title.enumerated() {
      frame.write(
        shown(line, to: room), row: 1 + place, column: column, width: room, style: .bold)
    }
    guard rows > 1 else { return }
    for (place, line) in header.lines.prefix(rows - title.count).enumerated() {
      frame.write(shown(line, to: end - column), row: 1 + title.count + place, column: column)
    }
  }

  /// As much of a note as there is room for; its beginning is the number of rows.
  private func note(_ note: String, columns: Int) -> String {
    var words = note.split(separator: ", ")
    while words.count > 1, TerminalText.width(words.joined(separator: ", ")) > columns {
      words.removeLast()
    }
    let text = words.joined(separator: ", ")
    if TerminalText.width(text) <= columns { return text }
    let number = text.prefix { $0 != " " }
    return number.utf8.count <= columns ? String(number) : ""
  }

  /// The first lines; the rest of the text is in the last one, and is truncated with it.
  private func cut(_ lines: [String], to count: Int) -> [String] {
    guard lines.count > count else { return lines }
    return lines.prefix(count - 1) + [lines[(count - 1)...].joined(separator: " ")]
  }

  /// Draws an artwork, or what there is instead of it.
  private func draw(_ state: ArtworkState, in space: CellArea, _ frame: inout Frame) {
    switch state {
    case .image(let thumbnail):
      guard let cell = model.imageCell else { return }
      let image = Extent(width: thumbnail.width, height: thumbnail.height)
      frame.place(FrameImage(thumbnail, area: cell.area(of: image, within: space)))
    case .waiting:
      let row = String(repeating: look.placeholder, count: space.columns)
      for place in 0..<space.rows {
        frame.write(row, row: space.row + place, column: space.column, style: .dim)
      }
    case .failed(let why):
      let text = ["no image", look.broken].first { $0.count <= space.columns } ?? ""
      var lines = [text]
      if !why.isEmpty, space.columns >= 8 {
        lines = WrappedText.lines(printable(why), columns: space.columns)
        if lines.count > space.rows - 1 {
          lines = cut(lines, to: space.rows - 1).map { shown($0, to: space.columns) }
        }
      }
      lines.insert(look.broken, at: 0)
      for (place, text) in lines.enumerated() {
        frame.write(
          text, row: space.row + (space.rows - lines.count) / 2 + place,
          column: space.column + (space.columns - TerminalText.width(text)) / 2,
          width: space.columns, style: .dim)
      }
    }
  }
}

/// The texts of a header.
struct BrowseHeader: Sendable, Hashable {
  /// The title of the page.
  var title: String
  /// What there is to know besides, for further rows.
  var lines: [String] = []
  /// The title with that, for a header of one row.
  var line: String
  /// What is said on the right.
  var note = ""

  init(_ title: String, _ lines: [String] = [], line: String? = nil, note: String = "") {
    self.title = title
    self.lines = lines
    self.line = line ?? title
    self.note = note
  }
}

extension BrowseDrawing {
  /// The header of the page.
  private var header: BrowseHeader {
    if case .help? = model.overlay {
      return BrowseHeader("Keys", note: Self.quoted(model.helpFilter))
    }
    if case .errors? = model.overlay { return BrowseHeader("Errors, the last one first") }
    if let page = model.wordsPage { return BrowseHeader("Words: \(TerminalText.safe(page.text))") }
    if case .details(let details)? = model.overlay,
      model.artwork != nil || details.shown != .notes || !details.searched.isEmpty,
      let row = model.row(details.key)
    {
      return BrowseHeader(
        row.title, [row.podcast, BrowseText.facts(row)].filter { !$0.isEmpty },
        note: Self.quoted(details.searched))
    }
    if let page = model.settingsPage {
      return BrowseHeader("Settings of \(page.title)")
    }
    if model.tab == .saved, model.isTrashShown {
      let rows = model.trash.rows
      let bytes = ByteSum.of(rows.map(\.size))
      return BrowseHeader(
        "Trash, with the day until which it is kept",
        note: note(
          model.trash.shownRows.reduce(0) { $0 + $1.files.count },
          rows.reduce(0) { $0 + $1.files.count }, "file")
          + (rows.isEmpty ? "" : ", \(ByteText.size(bytes))"))
    }
    if model.tab == .saved {
      return BrowseHeader(
        "Library", note: note(model.saved.count, model.saved.rows.count, "episode"))
    }
    if model.tab == .new {
      let row = model.new.selected
      let lines = row.map { [$0.title, $0.podcast, BrowseText.facts($0)] } ?? []
      return BrowseHeader(
        "New", lines.filter { !$0.isEmpty }, line: "New",
        note: note(model.new.count, model.new.rows.count, "episode"))
    }
    if model.tab == .downloads {
      let (speed, left) = model.downloadTotals
      var words = [note(model.downloads.count, model.downloads.rows.count, "episode")]
      if speed > 0 { words.append("\(ByteText.size(speed))/s") }
      if left > 0 { words.append("\(ByteText.size(left)) left") }
      if let time = BrowseModel.timeLeft(left, at: speed) { words.append(time) }
      return BrowseHeader("Downloads", note: words.joined(separator: ", "))
    }
    if let podcast = model.podcast {
      let name =
        podcast.title.isEmpty
        ? TerminalText.safe(AddressRedaction.shown(podcast.source)) : podcast.title
      var text = note(podcast.list.count, podcast.list.rows.count, "episode")
      switch podcast.age {
      case .current: break
      case .asked: text += ", asking the feed"
      case .old: text += ", as listed before"
      }
      let author = podcast.author.isEmpty ? [] : [podcast.author]
      let followed = podcast.isFollowed ? ["[subscribed]"] : []
      return BrowseHeader(
        name, author + followed,
        line: ([name] + author.map { "\(look.dash) \($0)" } + followed).joined(separator: " "),
        note: podcast.loading == .waiting ? "" : text)
    }
    if let searched = model.searched {
      return BrowseHeader(
        "Search: \(TerminalText.safe(searched))",
        note: note(model.found.count, model.found.rows.count, "podcast"))
    }
    return BrowseHeader(
      "Subscriptions",
      note: note(model.subscriptions.count, model.subscriptions.rows.count, "podcast"))
  }

  /// What is searched on a page.
  private static func quoted(_ text: String) -> String {
    text.isEmpty ? "" : "\"\(TerminalText.safe(text))\""
  }

  /// How many rows there are, and how they are arranged.
  private func note(_ count: Int, _ all: Int, _ what: String) -> String {
    let list = model.arrangement
    let total = all == 1 ? "1 \(what)" : "\(all) \(what)s"
    // Marks come first: they are said also in a narrow window.
    let marks = model.episodes?.markCount ?? 0
    var words = marks > 0 ? ["\(marks) marked"] : []
    words.append(count == all ? total : "\(count) of \(all)")
    if list.sort != .newest { words.append(list.sort.rawValue) }
    if list.group != .none, model.tab != .downloads || list.group != .state {
      words.append("by \(list.group.rawValue)")
    }
    if !model.filter.isEmpty { words.append("\"\(TerminalText.safe(model.filter))\"") }
    return words.joined(separator: ", ")
  }
}

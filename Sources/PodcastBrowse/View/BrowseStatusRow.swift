import BrowseScreen
import PodcastModel

/// The last rows of the screen: what is typed, a question, a message, or what keys do now.
extension BrowseDrawing {
  func drawStatus(_ frame: inout Frame) {
    guard lastRow > 0 else { return }
    if let prompt = model.prompt {
      let name =
        switch prompt.purpose {
        case .search: "Search: "
        case .filter: "Filter: "
        case .link: "Link: "
        case .page: "Search: "
        case .words: "Words: "
        case .setting: "\(model.settingsPage?.selected?.name ?? "Setting"): "
        }
      let end = frame.write(name, row: lastRow, column: 1, style: .bold)
      // The end of a long text is what is being typed.
      var text = Substring(TerminalText.safe(prompt.text))
      while TerminalText.width(String(text)) > max(1, columns - end - 2) { text.removeFirst() }
      let place = frame.write(printable(String(text)), row: lastRow, column: end)
      frame.write(" ", row: lastRow, column: place, style: .reverse)
      if prompt.purpose == .link {
        let link = model.typedLink.map {
          "Enter open  y copy  \(AddressRedaction.withoutCredentials($0))"
        }
        frame.write(
          shown(link ?? "no such link", to: max(0, columns - place - 3)), row: lastRow,
          column: place + 2, style: .dim)
      }
      return
    }
    if let question = model.question {
      return drawMessage(BrowseText.text(question), look.theme[.message], rows: 5, &frame)
    }
    let message = TerminalText.safe(model.message)
    if !message.isEmpty {
      return model.isError
        ? drawMessage("\(look.mark(.failed(""))) \(message)", look.theme[.error], &frame)
        : drawMessage(message, look.theme[.message], &frame)
    }
    var column = drawPlayer(&frame)
    for (key, text) in hints {
      let hint = (key: model.keys.label(key), text: text)
      if hint.key.isEmpty, column + 8 < columns {
        // A sentence is cut.
        frame.write(
          shown(printable(hint.text), to: columns - column - 1), row: lastRow, column: column,
          style: .dim)
        break
      }
      let text = "\(hint.key) \(hint.text)"
      guard column + TerminalText.width(text) < columns else { break }
      let end = frame.write(hint.key, row: lastRow, column: column, style: .bold)
      column = frame.write(hint.text, row: lastRow, column: end + 1, style: .dim) + 2
    }
  }

  /// A message takes a few rows: in a narrow window the end of a sentence says what to do.
  private func drawMessage(
    _ message: String, _ style: CellStyle, rows: Int = 3, _ frame: inout Frame
  ) {
    var lines = WrappedText.lines(printable(message), columns: columns - 2)
    let most = min(rows, max(1, lastRow - firstRow))
    if lines.count > most {
      lines = lines.prefix(most - 1) + [lines[(most - 1)...].joined(separator: " ")]
    }
    for (place, line) in lines.enumerated() {
      let row = lastRow - lines.count + 1 + place
      frame.write(String(repeating: " ", count: columns), row: row, column: 0)
      frame.write(shown(line, to: columns - 2), row: row, column: 1, style: style)
    }
  }

  /// What is being played, before the hints; the column after it.
  private func drawPlayer(_ frame: inout Frame) -> Int {
    guard let player = model.player else { return 1 }
    let state = player.state
    var text = state.isPaused ? look.mark(.paused(received: 0, total: nil)) : look.playing
    if let position = state.position {
      text += " " + DurationText.clock(position)
      if let duration = state.duration { text += "/" + DurationText.clock(duration) }
    }
    if !model.queue.isEmpty { text += " +\(model.queue.count)" }
    let hundredths = Int((state.speed * 100).rounded())
    if hundredths != 100 {
      let rest = hundredths % 100 == 0 ? "" : ".\(hundredths % 100 / 10)"
      text += " \(hundredths / 100)\(rest)\(look.times)"
    }
    if let volume = state.volume, volume != 100 { text += " \(volume)%" }
    let room = max(columns / 2, TerminalText.width(text)) - TerminalText.width(text) - 1
    if room > 3 { text += " " + shown(player.title, to: room) }
    return frame.write(
      shown(text, to: columns - 2), row: lastRow, column: 1, style: look.theme[.player])
      + 2
  }

  private var hints: [(key: String, text: String)] {
    if model.overlay != nil {
      var hints = [("Esc", "back"), ("j k", "scroll")]
      if case .help? = model.overlay { hints.append(("/", "search")) }
      if case .settings(let page)? = model.overlay {
        guard let setting = page.selected else { return hints }
        hints[1] = ("Enter", "change")
        if setting.text != nil { hints.append(("Delete", "unset")) }
        return hints + [("", setting.help)]
      }
      if let page = model.wordsPage {
        if page.selected != nil { hints.insert(("Enter", "play from here"), at: 1) }
        return hints + [("i", "details"), ("w", "other words")]
      }
      if case .details(let details)? = model.overlay {
        if details.hasTimes { hints.insert(("Enter", "play from here"), at: 1) }
        if !details.links.isEmpty { hints.append(("1-9", "link")) }
        if let next = details.next { hints.append(("Tab", next.title.lowercased())) }
        switch details.text {
        case .lines: hints.append(("/", "search"))
        case .failed: hints.append(("r", "try again"))
        case .waiting: break
        }
      }
      return hints
    }
    if model.podcasts != nil {
      let isFollowed = model.podcasts?.selected?.isFollowed == true
      let own = [("y", "sync"), ("e", "settings"), ("U", "unsubscribe")]
      return [("?", "help"), ("q", "quit"), ("Enter", "open"), ("a", "search the catalog")]
        + (isFollowed ? own : [("S", "subscribe")]) + [("/", "filter"), ("Tab", "library")]
    }
    if model.isTrashShown, model.tab == .saved {
      return [
        ("Esc", "back"), ("R", "restore"), ("x", "delete"), ("X", "empty"), ("space", "mark"),
        ("?", "help"),
      ]
    }
    var hints: [(String, String)] = [("?", "help"), ("q", "quit")]
    switch model.episodes?.selected?.state {
    case .complete:
      let isPlaying = model.player?.key == model.episodes?.selected?.key
      let isPaused = model.player?.state.isPaused == true
      hints.append(("o", !isPlaying ? "play" : isPaused ? "go on" : "pause"))
      hints += [("s", "star"), ("x", "remove")]
    case .running, .retrying: hints += [("p", "pause"), ("c", "cancel")]
    case .paused: hints += [("p", "resume"), ("c", "cancel")]
    case .queued: hints += [("c", "cancel")]
    case .none: break
    default: hints += [("d", "download")]
    }
    hints += [("i", "details"), ("D", "all"), ("/", "filter"), ("b", "group"), ("t", "sort")]
    return hints + [("Tab", model.tab.next.rawValue.lowercased())]
  }
}

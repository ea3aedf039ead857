/// What the last row says of the keys that do something now.
extension BrowseDrawing {
  var hints: [(key: String, text: String)] {
    if model.overlay != nil {
      var hints = [("Esc", "back"), ("j k", "scroll")]
      if case .details(let details)? = model.overlay {
        if let next = details.next { hints.append(("Tab", next.title.lowercased())) }
        if case .failed = details.text { hints.append(("r", "try again")) }
      }
      return hints
    }
    if model.podcasts != nil {
      return [
        ("?", "help"), ("q", "quit"), ("Enter", "open"), ("/", "search"), ("S", "subscribe"),
        ("f", "filter"), ("Tab", "library"),
      ]
    }
    var hints: [(String, String)] = [("?", "help"), ("q", "quit")]
    switch model.episodes?.selected?.state {
    case .complete: hints += [("o", "play"), ("s", "star"), ("x", "remove")]
    case .running, .retrying: hints += [("p", "pause"), ("c", "cancel")]
    case .paused: hints += [("p", "resume"), ("c", "cancel")]
    case .queued: hints += [("c", "cancel")]
    case .none: break
    default: hints += [("d", "download")]
    }
    hints += [("i", "details"), ("D", "all"), ("f", "filter"), ("b", "group"), ("t", "sort")]
    return hints + [("Tab", model.tab.next.rawValue.lowercased())]
  }
}

import BrowseScreen
import PodcastModel

/// What keys do.
extension BrowseModel {
  /// The filters that one key goes through.
  private static let kinds = ["", "is:favorite", "is:unplayed", "is:begun", "is:played"]

  /// Takes a key, and says what is to be done.
  mutating func press(_ key: Key) -> [BrowseEffect] {
    if case .mouse(let mouse) = key { return point(mouse) }
    if let question { return answer(question, key) }
    if prompt != nil { return type(key) }
    guard let key = keys.meaning(of: key) else {
      message = Self.nothing(BrowseKeyMap().name(of: key), keys)
      return []
    }
    if overlay != nil { return read(key) }
    if let effects = control(key) { return effects }
    if isTrashShown, tab == .saved, let effects = pressInTrash(key) { return effects }
    // g is the beginning of gg.
    let isSecond = hasG
    hasG = key == .character("g") && !hasG
    if key == .character("g") {
      if isSecond { move(by: .min / 2) }
      return []
    }
    switch key {
    case .character("q"): return [.quit]
    case .tab: return show(tab.next)
    case .backTab: return show(tab.previous)
    case .character("?"): showHelp()
    case .character("!"): showErrors()
    case .character("a"): prompt = Prompt(purpose: .search, text: "")
    case .character("/"): prompt = Prompt(purpose: .filter, text: filter)
    case .escape, .backspace, .left: goBack()
    case .up, .character("k"): move(by: -1)
    case .down, .character("j"): move(by: 1)
    case .pageUp: move(by: -listHeight)
    case .pageDown: move(by: listHeight)
    case .control("u"): move(by: -max(1, listHeight / 2))
    case .control("d"): move(by: max(1, listHeight / 2))
    case .home: move(by: .min / 2)
    case .end, .character("G"): move(by: .max / 2)
    case .character(" "), .character("v"): mark(isRange: key == .character("v"))
    case .character("t"):
      arrange { $0.sort = $0.sort.next }
      message = "Sorted by \(sortName)."
      return [.keep(arrangements)]
    case .character("b"):
      guard podcasts == nil else {
        message = "Podcasts have no groups; \(keys.name("t")) sorts them."
        break
      }
      arrange { $0.group = $0.group.next }
      message = "Grouped by \(arrangement.group.rawValue)."
      return [.keep(arrangements)]
    case .character("F"):
      setFilter(Self.kinds[((Self.kinds.firstIndex(of: filter) ?? 0) + 1) % Self.kinds.count])
      message = filter.isEmpty ? "All episodes." : "Filter: \(filter)."
    case .character("r"): return refresh()
    case .character("u"): return undo()
    case .character("D"): return downloadAll()
    case .character("C"): return cancelAll()
    case .character("X"): askToForget()
    case .character("S"): return subscribe()
    case .character("U"): askToUnsubscribe()
    case .character("y"): return sync()
    case .character("e"): return showSettings()
    case .character("T"): return showTrash()
    case .character("w"): prompt = Prompt(purpose: .words, text: "")
    case .character("i") where podcasts != nil:
      message =
        podcasts?.selected.map { $0.about.isEmpty ? "Nothing more is known of it." : $0.about }
        ?? ""
    case .character("n"): return playNext()
    case .enter, .right: return act(on: key)
    case .character(let letter): return actIfKnown(letter)
    case .control, .paste, .delete, .mouse: break
    }
    return []
  }
}

extension BrowseModel {
  private mutating func mark(isRange: Bool) {
    guard podcasts == nil else {
      message = "Only episodes can be marked."
      return
    }
    changeList {
      if isRange { return $0.markRange() }
      $0.mark()
      $0.move(by: 1)
    }
  }

  /// One step back: the marks, the filter, the open podcast, the results of the search.
  private mutating func goBack() {
    var hadMarks = false
    changeList { hadMarks = $0.unmark() }
    if hadMarks { return }
    if !filter.isEmpty {
      setFilter("")
    } else if tab == .saved {
      isTrashShown = false
    } else if tab == .catalog, podcast != nil {
      podcast = nil
    } else if tab == .catalog {
      searched = nil
    }
  }

  private mutating func refresh() -> [BrowseEffect] {
    retryArtwork()
    if tab == .new { return [.loadNew] }
    if tab != .catalog { return [isTrashShown ? .loadTrash : .loadLibrary] }
    if let podcast {
      message = "Reading \(podcast.title.isEmpty ? "the podcast" : podcast.title) again."
      if podcast.list.rows.isEmpty { self.podcast?.loading = .waiting }
      return [.loadPodcast(podcast.source)]
    }
    if let searched {
      foundLoading = .waiting
      return [.search(searched)]
    }
    return [.loadSubscriptions, .loadLibrary]
  }

  /// Opens the selected row.
  private mutating func act(on key: Key) -> [BrowseEffect] {
    if let row = podcasts?.selected {
      open(
        OpenPodcast(
          source: row.key, title: row.title, author: row.author, isFollowed: row.isFollowed,
          artwork: row.artwork))
      return [.loadPodcast(row.key)]
    }
    guard key == .enter, episodes?.selected != nil else { return [] }
    return act("i")
  }

  /// The episodes that a key acts on: that of the details, otherwise the marked ones, otherwise the
  /// selected one.
  private var targets: [EpisodeRow] {
    if case .details(let details)? = overlay { return row(details.key).map { [$0] } ?? [] }
    guard let list = episodes else { return [] }
    let marked = list.markedRows
    return marked.isEmpty ? list.selected.map { [$0] } ?? [] : marked
  }

  /// The letters of keys that act on episodes.
  private static let acts = Set("dpcsmxoiR")

  private static func nothing(_ key: String, _ keys: BrowseKeyMap) -> String {
    "\(key) does nothing here; \(keys.name("?")) shows the keys."
  }

  /// Does what a letter stands for, or says that it stands for nothing.
  mutating func actIfKnown(_ letter: Character) -> [BrowseEffect] {
    guard Self.acts.contains(letter) else {
      message = Self.nothing(TerminalText.safe(String(letter)), keys)
      return []
    }
    if podcasts != nil, overlay == nil {
      message = "That is for episodes: Enter opens a podcast."
      return []
    }
    return act(letter)
  }

  /// Does to the episodes what a letter stands for.
  mutating func act(_ letter: Character) -> [BrowseEffect] {
    let rows = targets
    guard let row = rows.first else { return [] }
    let effects: [BrowseEffect]
    switch letter {
    case "d": effects = downloadOrAsk(rows)
    case "p": effects = pause(rows)
    case "c":
      let active = rows.filter(\.state.isActive)
      if active.isEmpty { message = "It is not being downloaded." }
      effects = ask(.cancelled, of: active.map(\.key))
    case "m": effects = markPlayed(rows)
    case "s":
      let known = rows.filter { saved.row(key: $0.key) != nil || $0.state == .complete }
      if known.isEmpty {
        message = "Only episodes of the library can be starred: download it first."
      }
      effects = star(known)
    case "x": effects = removeOrAsk(rows)
    case "R": effects = restore(rows)
    case "o": return rows.count > 1 ? play(rows) : play(row)
    case "i":
      guard let selected = episodes?.selected else { return [] }
      return showDetails(of: selected.key)
    default: return []
    }
    // What is refused, or waits for a yes, keeps the marks.
    if overlay == nil, !effects.isEmpty {
      changeList { $0.unmark() }
    }
    return effects
  }

  /// Pauses what runs; otherwise what is paused goes on, and what is unfinished is continued.
  private mutating func pause(_ rows: [EpisodeRow]) -> [BrowseEffect] {
    func keys(_ isWanted: (EpisodeState) -> Bool) -> [String] {
      rows.filter { isWanted($0.state) }.map(\.key)
    }
    let running = keys { if case .running = $0 { true } else { $0.isRetrying } }
    if !running.isEmpty { return ask(.paused(true), of: running) }
    let paused = keys { if case .paused = $0 { true } else { false } }
    if !paused.isEmpty { return ask(.paused(false), of: paused) }
    let unfinished = rows.filter { $0.state.isUnfinished && !$0.state.isActive }
    if !unfinished.isEmpty { return downloadOrAsk(unfinished) }
    message =
      rows.contains { $0.state == .queued }
      ? "It waits for its turn, and nothing is transferred; \(self.keys.name("c")) cancels it."
      : "It is not being downloaded."
    return []
  }

  mutating func showDetails(of key: String) -> [BrowseEffect] {
    overlay = .details(EpisodeDetailPages(of: key))
    return [.loadDetails(key)]
  }
}

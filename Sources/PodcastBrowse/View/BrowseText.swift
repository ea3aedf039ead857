import BrowseScreen
import FoundationEssentials
import PodcastModel

/// The pages of text: help, and the details of an episode.
package enum BrowseText {
  /// What keys do, for the help and the guide.
  package static let keys: [(key: String, text: String)] = [
    ("j k, arrows", "move; PageUp, PageDown, Home and End too"),
    ("gg, G", "the first and the last row"),
    ("Ctrl-D, Ctrl-U", "half a page down and up"),
    ("space", "mark the episode: the next key acts on all marked ones; Esc ends the marks"),
    ("v", "mark a range: move to its end; the same key keeps it"),
    ("Tab", "the next tab: Catalog, Library, New, Downloads; Shift-Tab the one before"),
    ("Enter", "open a podcast, show the details of an episode"),
    ("Backspace, Esc", "back"),
    ("/", "search the list or the page while you type: its lines with these words; Esc shows all"),
    ("a", "search Apple's catalog, or open the address of a feed"),
    ("F", "filter: favorites, not played, begun, played, all; the words are is:favorite and so on"),
    ("d", "download the episode"),
    ("D", "download all episodes of the list; more than 20 after a question"),
    ("p", "pause or resume the download"),
    ("c, C", "cancel the download, or all of them and a sync; what arrived is kept"),
    ("X", "forget all unfinished downloads of the list, after a question"),
    ("s", "star or unstar the episode"),
    ("m", "mark the episode as played or unplayed"),
    (
      "x", "remove the episode; after a question if it cannot be restored, or if several are marked"
    ),
    ("u", "undo: take back the last removal, restore, star, played mark, setting or unsubscribe"),
    ("T", "the trash: what was removed, and until when it is kept; Esc goes back"),
    (
      "R, x, X",
      "in the trash: restore the episode; after a question delete it for good, or all of the list"
    ),
    (
      "o",
      "play the episode from where it was left, or all marked ones in order; the one that plays pauses or "
        + "goes on"
    ),
    ("P, O", "pause the player or let it go on; end it"),
    (", . < >", "in what plays 10 seconds back or ahead, a minute back or ahead"),
    ("[ ] =", "play slower, faster, at the usual speed"),
    ("- +", "play quieter or louder"),
    (
      "i",
      "details of the episode: notes; Tab shows chapters and transcript, Enter plays from there; of "
        + "a podcast: its checks"
    ),
    ("1 to 9", "in the notes: the number of a link, then Enter opens it, and y copies it"),
    (
      "n, N",
      "in the details: those of the next and the previous episode; n in a list: play the next marked one"
    ),
    ("S, U", "subscribe to the podcast, or follow it no longer, after a question"),
    ("e", "the settings of the subscription, and its checks: Enter changes one, Delete unsets it"),
    (
      "y",
      "sync: check the feed of the podcast now, or after a question all feeds, and download what is new"
    ),
    ("r", "refresh"),
    ("b", "group by: none, podcast, day, week, month, year, state, favorite, played"),
    ("t", "sort: newest, oldest, title, duration, size, podcast"),
    ("w", "find words in titles, notes and transcripts; Enter plays from there"),
    ("mouse", "the wheel scrolls; a click selects a row, a second one opens it"),
    ("!", "what went wrong so far"),
    ("?", "this help; / searches in it"),
    ("q", "close this page; in a list quit: downloads keep what arrived, and the player ends"),
    ("Q", "quit, and let the player go on"),
  ]

  /// How wide the lines of a page are.
  static func columns(_ size: ScreenSize) -> Int { max(10, size.columns - 2) }

  /// The lines of the page that is shown.
  static func lines(_ model: BrowseModel) -> [String] {
    let columns = columns(model.size)
    switch model.overlay {
    case nil: return []
    case .help: return help(model, columns: columns)
    case .errors:
      // The last one is what is looked for.
      return model.errors.reversed().flatMap {
        WrappedText.lines(TerminalText.safe($0), columns: columns) + [""]
      }
    case .settings, .words: return model.wrapped.lines
    case .details(let details):
      guard details.shown == .notes else { return model.wrapped.lines }
      return above(model, details) + model.wrapped.lines
    }
  }

  /// The lines above the notes.
  static func above(_ model: BrowseModel, _ details: EpisodeDetailPages) -> [String] {
    guard details.shown == .notes else { return [] }
    let row = model.row(details.key)
    let columns = columns(model.size)
    // Beside an artwork the header has the title and the facts.
    return model.artwork == nil
      ? summary(row, columns: columns) : failure(row, columns: columns)
  }

  /// A question, with the keys that answer it.
  package static func text(_ question: BrowseModel.Question) -> String {
    switch question {
    case .download(let keys, let bytes):
      let size = bytes > 0 ? " (at least \(ByteText.size(bytes)))" : ""
      return "Download \(keys.count) episodes\(size)? y: yes, any other key: no"
    case .forget(let keys, let bytes):
      let count = keys.count == 1 ? "1 unfinished download" : "\(keys.count) unfinished downloads"
      let size = bytes > 0 ? " and delete the \(ByteText.size(bytes)) that arrived" : ""
      return "Forget \(count)\(size)? y: yes, any other key: no"
    case .sync: return "Check all feeds, and download what is new? y: yes, any other key: no"
    case .unsubscribe(_, let title):
      return
        "Follow \(TerminalText.safe(title)) no longer? Its files stay. y: yes, any other key: no"
    case .empty(_, let files, let bytes):
      let what = files.count == 1 ? "1 file" : "\(files.count) files"
      return
        "Delete \(what) (\(ByteText.size(bytes))) of the trash for good? y: yes, any other key: no"
    case .remove(let removal): return "\(text(removal)) y: yes, any other key: no"
    }
  }

  /// What a removal does, as a question.
  private static func text(_ removal: BrowseModel.Removal) -> String {
    let count = removal.keys.count
    if count == 1, removal.unseen == 0, removal.deleted == 1 {
      let lost = removal.bytes.map { "the \(ByteText.size($0)) that are" } ?? "what is"
      return "Remove it and delete \(lost) on the disk?"
    }
    let what = count == 1 ? "1 episode" : "\(count) episodes"
    let unseen = removal.unseen > 0 ? " (\(removal.unseen) not on the screen)" : ""
    if removal.trashed == count { return "Move \(what)\(unseen) to the trash?" }
    var words: [String] = []
    if removal.trashed > 0 { words.append("\(removal.trashed) to the trash") }
    if removal.deleted > 0 {
      let size = removal.bytes.map { " (\(ByteText.size($0)))" } ?? ""
      words.append("\(removal.deleted) deleted for good\(size)")
    }
    if removal.forgotten > 0 { words.append("\(removal.forgotten) without a file only forgotten") }
    return "Remove \(what)\(unseen)? \(words.joined(separator: ", "))."
  }

  /// What a page says before its text is there.
  static func waiting(for page: DetailPage) -> String {
    switch page {
    case .notes: "Reading what the podcast says about it."
    case .chapters: "Reading the chapters."
    case .transcript: "Reading the transcript."
    }
  }

  private static func help(_ model: BrowseModel, columns: Int) -> [String] {
    let width = 16
    let words = model.helpFilter.lowercased().split(separator: " ")
    let entries = keys.map { (key: model.keys.label($0.key), text: $0.text) }.filter { entry in
      let names = entry.key.lowercased().split { $0 == " " || $0 == "," }
      let text = "\(entry.key) \(entry.text)".lowercased()
      // A word of one letter is a key.
      return words.allSatisfy { $0.count == 1 ? names.contains($0) : text.contains($0) }
    }
    if entries.isEmpty {
      return WrappedText.lines("No key does this. Esc shows all.", columns: columns)
    }
    return entries.flatMap { entry -> [String] in
      // In a narrow window the text is below the key.
      guard columns >= 2 * width else {
        return [entry.key] + WrappedText.lines(entry.text, columns: columns - 2).map { "  " + $0 }
      }
      let name = TerminalText.padded(entry.key, to: width)
      let lines = WrappedText.lines(entry.text, columns: columns - width)
      return lines.enumerated().map { index, line in
        index == 0 ? name + line : String(repeating: " ", count: width) + line
      }
    }
  }

  private static func summary(_ row: EpisodeRow?, columns: Int) -> [String] {
    var lines: [String] = []
    if let row {
      lines += WrappedText.lines(row.title, columns: columns)
      lines += WrappedText.lines(row.podcast, columns: columns)
      let facts = facts(row)
      if !facts.isEmpty { lines.append(facts) }
      let failure = failure(row, columns: columns)
      lines += failure.isEmpty ? [""] : failure
    }
    return lines
  }

  /// Whether an episode was played, or where playing continues; nil for a new one.
  static func played(_ row: EpisodeRow) -> String? {
    if let position = row.position { return "at \(DurationText.clock(position))" }
    return row.isPlayed ? "played" : nil
  }

  /// The date, the duration, the size, and whether it failed.
  static func facts(_ row: EpisodeRow) -> String {
    var facts: [String] = []
    if let date = row.date { facts.append(CivilDay(date).description) }
    if let duration = row.duration { facts.append(DurationText.clock(duration)) }
    if let size = row.size { facts.append(ByteText.size(size)) }
    if let played = played(row) { facts.append(played) }
    if case .failed = row.state { facts.append("failed") }
    return facts.joined(separator: ", ")
  }

  /// Why the episode failed, and an empty line; nothing if it did not.
  private static func failure(_ row: EpisodeRow?, columns: Int) -> [String] {
    guard case .failed(let reason)? = row?.state else { return [] }
    return WrappedText.lines(TerminalText.safe(reason), columns: columns) + [""]
  }
}

import BrowseScreen
import PodcastModel

/// The player: what keys ask it for, and what it says.
extension BrowseModel {
  /// How far keys move, in seconds.
  private static let (shortMove, longMove) = (10, 60)
  /// How much faster or slower one key makes it, and how fast it may be.
  private static let step = 0.1
  /// How much louder or quieter one key makes it, in percent.
  private static let louder = 5
  private static let speeds = 0.3...4.0

  /// Takes a key that is for the player, wherever it is pressed; nil for any other.
  mutating func control(_ key: Key) -> [BrowseEffect]? {
    guard case .character(let letter) = key else { return nil }
    switch letter {
    case "P": return ask(.pause)
    case ",": return ask(.move(-Self.shortMove))
    case ".": return ask(.move(Self.shortMove))
    case "<": return ask(.move(-Self.longMove))
    case ">": return ask(.move(Self.longMove))
    case "[": return ask(.faster(-Self.step))
    case "]": return ask(.faster(Self.step))
    case "-": return ask(.louder(-Self.louder))
    case "+": return ask(.louder(Self.louder))
    case "=": return ask(.speed(1))
    case "O":
      guard player != nil else { return ask(.pause) }
      queue = []
      return [.endPlaying]
    case "Q": return player == nil ? [.quit] : [.leavePlaying, .quit]
    default: return nil
    }
  }

  /// Plays an episode; the one that is being played pauses, or goes on.
  mutating func play(_ row: EpisodeRow, from start: Duration? = nil) -> [BrowseEffect] {
    if player?.key == row.key { return ask(start.map { .seek($0) } ?? .pause) }
    guard row.state == .complete else {
      message = "Only complete episodes can be played."
      return []
    }
    return [.play(row.key, from: start)]
  }

  /// Plays several episodes, one after the other. The one that is being played goes on.
  mutating func play(_ rows: [EpisodeRow]) -> [BrowseEffect] {
    let keys = rows.filter { $0.state == .complete }.map(\.key)
    guard let first = keys.first else {
      message = "Only complete episodes can be played."
      return []
    }
    changeList { $0.unmark() }
    let playing = player?.key
    let goesOn = playing.map(keys.contains) ?? false
    queue = keys.filter { $0 != (goesOn ? playing : first) }
    message =
      "\(keys.count) episodes are played in this order; \(self.keys.name("n")) plays the next one."
    return goesOn ? [] : [.play(first)]
  }

  /// Plays the next one of several.
  mutating func playNext() -> [BrowseEffect] {
    while !queue.isEmpty {
      let key = queue.removeFirst()
      // It may have been removed since.
      if let row = row(key), row.state != .complete { continue }
      return [.play(key)]
    }
    message = "Nothing is to be played next: mark several episodes, then \(keys.name("o"))."
    return []
  }

  /// Plays the episode of the details from the selected line on; nil if the page has no times.
  mutating func playSelection() -> [BrowseEffect]? {
    guard case .details(let details)? = overlay, details.hasTimes, let row = row(details.key) else {
      return nil
    }
    guard let time = details.selectedTime else {
      message = "This line has no time."
      return []
    }
    return play(row, from: time)
  }

  private mutating func ask(_ request: PlayerRequest) -> [BrowseEffect] {
    guard let state = player?.state else {
      message = "Nothing is being played; \(keys.name("o")) plays an episode."
      return []
    }
    guard state.isControlled else {
      message = "The player cannot be asked for this; \(keys.name("O")) ends it."
      return []
    }
    if case .faster(let step) = request, !Self.speeds.contains(state.speed + step) {
      message = step > 0 ? "It is not played faster." : "It is not played slower."
      return []
    }
    return [.control(request)]
  }

  /// Takes what the record says of an episode.
  mutating func take(
    isPlayed: Bool, _ position: Duration?, of key: String
  ) -> [BrowseEffect] {
    asked[key]?.known.isPlayed = isPlayed
    asked[key]?.known.position = position
    let asked = asked[key]?.facts
    updateRow(key) { row in
      row.isPlayed = asked?.isPlayed ?? isPlayed
      row.position = asked == nil ? position : asked?.position
    }
    return isPlayed && isNewWanted ? [.loadLibrary] : []
  }

  /// Selects what is being played on a page that has times.
  mutating func selectWhatPlays(on page: DetailPage, of key: String) {
    guard player?.key == key, let position = player?.state.position else { return }
    updateDetails(of: key) { $0.select(position, on: page) }
  }
}

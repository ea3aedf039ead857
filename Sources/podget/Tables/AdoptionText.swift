import PodcastKit

/// The results of `adopt`, as lines: a word, the file, and its new path or the reason why it has
/// none.
enum AdoptionText {
  /// The lines.
  static func text(_ adoptions: [AdoptedFile], _ style: TerminalStyle) -> String {
    adoptions.reduce(into: "") { text, adoption in
      let file = TerminalText.safe(adoption.file)
      let look: StyledLine.Style =
        switch adoption.status {
        case .adopted: .green
        case .planned: .yellow
        case .known: .dim
        case .unmatched: .red
        }
      let word = style.styled(TerminalText.padded(adoption.status.rawValue, to: 9), look)
      let rest =
        (adoption.path.map { " -> \(TerminalText.safe($0))" } ?? "")
        + (adoption.obstacle.map { ": \(TerminalText.safe($0.sentence))" } ?? "")
      text += "\(word)  \(file)\(rest)\n"
    }
  }

  /// The last sentence, such as `3 adopted, 1 unmatched`
  static func summary(_ adoptions: [AdoptedFile]) -> String {
    let counts = [AdoptedFile.Status.adopted, .planned, .known, .unmatched].compactMap { status in
      let count = adoptions.count { $0.status == status }
      let word = status == .known ? "already in the library" : status.rawValue
      return count > 0 ? "\(count) \(word)" : nil
    }
    return counts.isEmpty
      ? "There is no media file to adopt." : counts.joined(separator: ", ")
  }
}

extension AdoptedFile.Obstacle {
  /// What is in the way, in one sentence.
  var sentence: String {
    switch self {
    case .isPodgets: "It is podget's own file; podget restore brings removed episodes back."
    case .noMatch(let reason): reason
    case .ambiguous(let titles):
      "It may be one of several episodes: \(titles.joined(separator: "; "))."
    case .removed: "The episode was removed on purpose; --force adopts it."
    case .sameEpisode(let other): "Another file is the same episode: \(other)."
    case .sameFile(let other): "It is the same file as \(other), which is another episode."
    case .busy: "Another podget is downloading the episode."
    case .error(let error): error.sentence
    }
  }
}

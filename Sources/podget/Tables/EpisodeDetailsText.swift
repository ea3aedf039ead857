import PodcastKit

/// What feeds say about episodes besides, as paragraphs below the table of `show`.
struct EpisodeDetailsText: Sendable {
  /// What may be shown.
  let style: TerminalStyle

  /// A part for each episode that has any details.
  func text(_ episodes: [PublishedEpisode]) -> String {
    episodes.compactMap { published in
      guard published.details != nil || !published.stored.isEmpty else { return nil }
      let details = published.details ?? EpisodeDetails()
      let stored = published.stored.map { "  Stored: \(TerminalText.safe($0.path))" }
      return "\n"
        + (lines(published.episode, details) + stored).map { $0 + "\n" }.joined()
    }.joined()
  }

  /// A part for the podcast, if its feed says anything.
  func text(_ about: PodcastDetails) -> String {
    var lines: [String] = []
    if let medium = about.medium { lines.append("Medium: \(TerminalText.safe(medium))") }
    if about.isLocked { lines.append("Locked: the publisher allows no import elsewhere") }
    for funding in about.funding {
      let title = funding.title.isEmpty ? "" : " (\(TerminalText.safe(funding.title)))"
      lines.append("Funding: \(shown(funding.url))\(title)")
    }
    return lines.isEmpty ? "" : "\n" + lines.map { $0 + "\n" }.joined()
  }

  private func lines(_ episode: Episode, _ details: EpisodeDetails) -> [String] {
    var lines = [style.styled(TerminalText.safe(episode.title), .bold)]
    let notes = details.notes()
    if let link = details.link { lines.append("  Link: \(shown(link))") }
    if let chapters = details.chaptersURL { lines.append("  Chapters: \(shown(chapters))") }
    for chapter in details.chapters {
      let title = TerminalText.safe(chapter.title)
      lines.append("  Chapter: \(DurationText.clock(chapter.start)) \(title)")
    }
    for transcript in details.transcripts {
      let facts = [transcript.type, transcript.language].compactMap(\.self)
      let words = facts.isEmpty ? "" : " (\(TerminalText.safe(facts.joined(separator: ", "))))"
      lines.append("  Transcript: \(shown(transcript.url))\(words)")
    }
    if !details.persons.isEmpty {
      let names = details.persons.map { "\($0.name) (\($0.role))" }.joined(separator: ", ")
      lines.append("  Persons: \(TerminalText.safe(names))")
    }
    if details.isExplicit == true { lines.append("  Explicit") }
    for line in (notes?.text ?? "").split(separator: "\n") {
      lines.append("  \(TerminalText.safe(String(line)))")
    }
    for (place, address) in (notes?.links ?? []).enumerated() {
      let shown = TerminalText.safe(AddressRedaction.withoutCredentials(address))
      lines.append("  [\(place + 1)] \(style.linked(shown, to: address))")
    }
    return lines
  }

  private func shown(_ address: String) -> String {
    TerminalText.safe(AddressRedaction.shown(address))
  }
}

public import PodcastLibrary

/// A text of an episode in which a search has found something.
public struct FoundText: Sendable, Hashable {
  /// What of an episode is searched; the raw values are the contract with scripts.
  public enum Part: String, Sendable, Hashable, CaseIterable {
    /// The title.
    case title
    /// The stored notes, line by line.
    case notes
    /// The stored transcript, paragraph by paragraph.
    case transcript
  }

  /// The episode.
  public var episode: LocalEpisode
  /// Where it was found.
  public var part: Part
  /// The title, the line or the paragraph. If only the speaker's name or what begins with it matches, the
  /// paragraph begins with the name and a colon.
  public var text: String
  /// The first match in the text; it may be empty.
  public var match: Range<String.Index>
  /// Where the paragraph is spoken, if the transcript says so.
  public var start: Duration?
  /// Who speaks, if the transcript says so.
  public var speaker: String?
  /// Whether the text begins with the speaker.
  public var beginsWithSpeaker = false
}

extension FoundText {
  /// What a paragraph begins with when somebody speaks it.
  static func opening(_ speaker: String) -> String { "\(speaker): " }

  /// What is shown before the text: the speaker, if the text does not begin with it.
  package var opening: String {
    beginsWithSpeaker ? "" : speaker.map(Self.opening) ?? ""
  }
}

/// A kind of file that is stored beside an episode; the raw values are the contract with records.
public enum Belonging: String, Codable, Sendable, Hashable, CaseIterable {
  /// The words that are spoken.
  case transcript
  /// Where its parts begin.
  case chapters
  /// Its description.
  case notes
  /// Its image, or that of its podcast.
  case artwork
  /// The image of its podcast: one file in the podcast's folder, and none beside the episode.
  case cover

  /// How `--with` names it.
  public var settingName: String { self == .transcript ? "transcripts" : rawValue }
}

/// Which files are stored beside episodes.
public struct Belongings: Sendable, Hashable {
  /// The kinds.
  public var kinds: Set<Belonging>

  /// Nothing.
  public static let none = Belongings([])
  /// Every kind.
  public static let all = Belongings(Set(Belonging.allCases))

  /// Whether it takes more than what a listing of episodes has.
  package var needDetails: Bool { !kinds.subtracting([.artwork, .cover]).isEmpty }

  /// Creates a choice of kinds.
  public init(_ kinds: Set<Belonging>) { self.kinds = kinds }

  /// Parses the value of `--with`: names with commas between them, `all` or `none`.
  public init(option text: String) throws(OptionValueError) {
    switch text {
    case "all": self = .all
    case "none": self = .none
    default:
      var kinds: Set<Belonging> = []
      for name in text.split(separator: ",", omittingEmptySubsequences: false) {
        guard let kind = Belonging.allCases.first(where: { $0.settingName == name }) else {
          throw OptionValueError(
            "\"\(text)\" is neither all, none nor a list of transcripts, chapters, notes, artwork and "
              + "cover, such as notes,cover.")
        }
        kinds.insert(kind)
      }
      self.kinds = kinds
    }
  }

  /// The value of `--with` that means this.
  public var text: String {
    if self == .all { return "all" }
    if self == .none { return "none" }
    return Belonging.allCases.filter(kinds.contains).map(\.settingName).joined(separator: ",")
  }
}

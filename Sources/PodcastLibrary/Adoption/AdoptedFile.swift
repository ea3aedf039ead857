public import PodcastModel

/// What an adoption did with one file of another tool.
public struct AdoptedFile: Sendable {
  /// The outcomes; the raw values are the contract with scripts.
  public enum Status: String, Sendable, CaseIterable {
    /// The library has the file now.
    case adopted
    /// A dry run would adopt it.
    case planned
    /// The library had the episode, or the file itself.
    case known
    /// No episode is certain, or something is in the way; the reason says what.
    case unmatched
  }

  /// Why a file was not adopted, or what is left to do after it was.
  public enum Obstacle: Sendable {
    /// It is podget's own, such as a file in the trash.
    case isPodgets
    /// No episode matches; a sentence says what is missing or differs.
    case noMatch(String)
    /// It may be one of several episodes, by their titles.
    case ambiguous([String])
    /// The episode was removed on purpose.
    case removed
    /// Another file, by its path, is the same episode.
    case sameEpisode(String)
    /// It is the same file as another one, by its path, which is another episode.
    case sameFile(String)
    /// Another process is downloading the episode.
    case busy
    /// Something failed.
    case error(PodgetError)
  }

  /// The file's path, below the folder as it was named.
  public var file: String
  /// What was done.
  public var status = Status.unmatched
  /// The episode's plan, when it is certain.
  public var plan: DownloadPlan?
  /// The path below the library.
  public var path: String?
  /// Why it was not adopted, or what is left to do; usually nil for one that was.
  public var obstacle: Obstacle?
  /// The size in bytes, if it could be read.
  public var bytes: Int64?
  /// The SHA-256 of an adopted file, in hexadecimal digits.
  public var sha256: String?
}

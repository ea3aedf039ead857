/// What is to be downloaded and where it goes; made before the first byte moves.
public struct DownloadPlan: Sendable, Hashable {
  /// The stable key of the episode, which names its partial file: 32 lower-case hex digits.
  public var key: String
  /// The podcast.
  public var podcast: Podcast
  /// The episode.
  public var episode: Episode
  /// The folder below the library, with `/` between its parts and none at its ends; may be empty.
  public var folder: String
  /// The file name without its extension, legal and free of clashes.
  public var stem: String
  /// The extension as announced, without a dot; the bytes may settle on another one.
  public var announcedExtension: String

  /// Makes a plan.
  public init(
    key: String, podcast: Podcast, episode: Episode, folder: String, stem: String,
    announcedExtension: String
  ) {
    self.key = key
    self.podcast = podcast
    self.episode = episode
    self.folder = folder
    self.stem = stem
    self.announcedExtension = announcedExtension
  }

  /// The planned path, relative to the library.
  public var path: String {
    let name = announcedExtension.isEmpty ? stem : "\(stem).\(announcedExtension)"
    return folder.isEmpty ? name : "\(folder)/\(name)"
  }
}

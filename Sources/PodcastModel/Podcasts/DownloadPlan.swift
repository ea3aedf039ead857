/// What to download and its destination; created before the first byte moves.
///
/// Its content is shared, not copied: a plan is passed through queues and events thousands of
/// times, and a run may have thousands of plans.
public struct DownloadPlan: Sendable, Hashable {
  private final class Content: Sendable {
    let key: EpisodeKey
    let podcast: Podcast
    let episode: Episode
    let file: PlannedFile

    init(key: EpisodeKey, podcast: Podcast, episode: Episode, file: PlannedFile) {
      self.key = key
      self.podcast = podcast
      self.episode = episode
      self.file = file
    }
  }

  private let content: Content

  /// Whether the user named this very episode: it is downloaded even if it was removed before.
  /// Plans that differ in nothing else are equal.
  public var isNamed = false

  /// What is stored beside its file when that is complete. Plans that differ in it only are equal.
  package var belongings: [PlannedBelonging] = []

  /// What only the feed knows of tags that its file gets; nil if it gets none. Plans that differ in it only
  /// are equal.
  package var tags: PlannedTags? {
    get { boxedTags?.tags }
    set { boxedTags = newValue.map(Tags.init) }
  }

  /// Behind a reference, so that a copy of a plan costs no more.
  private final class Tags: Sendable {
    let tags: PlannedTags

    init(_ tags: PlannedTags) { self.tags = tags }
  }

  private var boxedTags: Tags?

  /// The addresses that are requested for it.
  package var addresses: [String] {
    [episode.enclosure.url, tags?.artwork, tags?.chaptersURL].compactMap(\.self)
      + belongings.compactMap(\.url)
  }

  /// Creates a plan; its key and its file cannot lead outside the library.
  public init(key: EpisodeKey, podcast: Podcast, episode: Episode, file: PlannedFile) {
    content = Content(key: key, podcast: podcast, episode: episode, file: file)
  }

  /// The stable key of the episode, which names its partial file.
  public var episodeKey: EpisodeKey { content.key }

  /// The digits of the key.
  public var key: String { content.key.text }

  /// The destination of the file, with the extension as announced.
  public var file: PlannedFile { content.file }

  // Borrowed, not copied: a copy costs more than most reads of a podcast or an episode.

  /// The podcast.
  public var podcast: Podcast { _read { yield content.podcast } }

  /// The episode.
  public var episode: Episode { _read { yield content.episode } }

  /// The folder below the library, with `/` between its parts and none at its ends; may be empty.
  public var folder: String { content.file.folder.text }

  /// The file name without its extension, legal and unique.
  public var stem: String { content.file.stem.text }

  /// The extension as announced, without a dot; the content may require another one.
  public var announcedExtension: String { content.file.fileExtension }

  /// The same plan with another extension; unchanged if that is not a valid extension.
  public func with(announcedExtension: String) -> DownloadPlan {
    guard let file = file.with(fileExtension: announcedExtension) else { return self }
    return with(file: file)
  }

  /// The same plan for another file.
  package func with(file: PlannedFile) -> DownloadPlan {
    var plan = DownloadPlan(key: episodeKey, podcast: podcast, episode: episode, file: file)
    plan.isNamed = isNamed
    (plan.belongings, plan.boxedTags) = (belongings, boxedTags)
    return plan
  }

  /// The planned path, relative to the library.
  public var path: String { LibraryPath.join(folder, stem: stem, ending: announcedExtension) }

  /// Plans are equal when all their properties are.
  public static func == (first: DownloadPlan, second: DownloadPlan) -> Bool {
    first.content === second.content
      || (first.key == second.key && first.podcast == second.podcast
        && first.episode == second.episode && first.path == second.path)
  }

  /// Equal plans have one key.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

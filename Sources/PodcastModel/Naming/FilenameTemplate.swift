/// The pattern of the paths below the library, such as `{podcast}/{date} - {title}.{ext}`.
///
/// <doc:NameTemplates> describes the syntax.
public struct FilenameTemplate: Sendable, Hashable {
  /// Never empty; the last component is the stem, the others are folders.
  private let components: [[TemplateToken]]

  /// The default template: `{podcast}/{date} - {title}.{ext}`.
  public static let standard = FilenameTemplate(components: [
    [.field(TemplateSlot(field: .podcast))],
    [.field(TemplateSlot(field: .date)), .text(" - "), .field(TemplateSlot(field: .title))],
  ])

  /// Parses a template.
  ///
  /// - Throws: ``ParseError``.
  public init(parsing text: String) throws(ParseError) {
    components = try TemplateParser.components(of: text)
  }

  /// The same template with a fixed text in place of the podcast's title.
  ///
  /// - Parameter name: the text; it is made legal as a title is.
  public func replacingPodcast(with name: String) -> FilenameTemplate {
    FilenameTemplate(
      components: components.map { tokens in
        tokens.map { token in
          guard case .field(let slot) = token, slot.field == .podcast else { return token }
          return .text(FileName.field(name))
        }
      })
  }

  /// Whether the title of the podcast, or its folder, is in the names of folders.
  package var hasPodcastFolder: Bool {
    components.dropLast().joined().contains { token in
      guard case .field(let slot) = token else { return false }
      return slot.field == .podcast
    }
  }

  private init(components: [[TemplateToken]]) {
    self.components = components
  }

  /// A folder below the library and a file name in it without its extension.
  public typealias Name = (folder: String, stem: String)

  /// The folders of some episodes of a podcast.
  package func folders(podcast: Podcast, episodes: [Episode]) -> Set<String> {
    let dependsOnEpisode = components.dropLast().joined().contains { token in
      guard case .field(let slot) = token else { return false }
      return slot.field != .podcast && slot.field != .author
    }
    let needed = dependsOnEpisode ? episodes[...] : episodes.prefix(1)
    return Set(needed.map { components(podcast: podcast, episode: $0).folder })
  }

  /// The folder and the stem of an episode: legal, inside the library, but not yet unique.
  ///
  /// The folder has `/` between its parts and none at its ends; it is empty for a template without
  /// folders. A field without a value is left out together with the text that separates it from the
  /// next field, or, when it is the last one, from the one before.
  public func components(podcast: Podcast, episode: Episode) -> Name {
    var inFolders = podcast
    if let folder = podcast.correction.folder { inFolders.correction.title = folder }
    let names = components.indices.map { place in
      let podcast = place < components.count - 1 ? inFolders : podcast
      return FileName.component(
        Self.text(of: components[place]) { Self.value($0, podcast, episode) })
    }
    return (names.dropLast().joined(separator: "/"), names.last ?? "")
  }
}

extension FilenameTemplate {
  private static func text(of tokens: [TemplateToken], value: (TemplateSlot) -> String?) -> String {
    var parts: [String] = []
    var isSeparatorUnwanted = false
    for (index, token) in tokens.enumerated() {
      switch token {
      case .text(let text):
        parts.append(isSeparatorUnwanted ? "" : text)
        isSeparatorUnwanted = false
      case .field(let slot):
        let value = value(slot)
        parts.append(value ?? "")
        guard value == nil else { continue }
        if index + 1 < tokens.count {
          isSeparatorUnwanted = true
        } else if index > 0, case .text = tokens[index - 1] {
          parts[index - 1] = ""
        }
      }
    }
    return parts.joined()
  }

  /// The value of a slot; titles always have one.
  private static func value(
    _ slot: TemplateSlot, _ podcast: Podcast, _ episode: Episode
  ) -> String? {
    let isTitle = slot.field == .podcast || slot.field == .title
    return slot.text(podcast, episode) ?? (isTitle ? slot.opening + "Untitled" + slot.closing : nil)
  }
}

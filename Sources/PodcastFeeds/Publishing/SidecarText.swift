import FoundationEssentials
package import PodcastModel

/// The texts of files about a podcast for media servers and players.
package enum SidecarText {
  /// An episode in a playlist.
  package struct Entry: Sendable, Hashable {
    /// Its path from the podcast's folder on.
    var path: String
    var title: String
    var duration: Duration?

    /// Creates an entry.
    package init(path: String, title: String, duration: Duration?) {
      (self.path, self.title, self.duration) = (path, title, duration)
    }
  }

  /// The text of a file.
  ///
  /// - Parameters:
  ///   - sidecar: the kind of file.
  ///   - podcast: the podcast.
  ///   - entries: its complete episodes, the oldest first.
  ///   - name: the file's name.
  ///   - isPrivate: whether the podcast is for one person, because its feed needs a login.
  package static func text(
    _ sidecar: PodcastSidecar, of podcast: Podcast, _ entries: [Entry], as name: String,
    isPrivate: Bool = false
  ) -> String {
    let text =
      switch sidecar {
      case .metadata: metadata(podcast, isPrivate)
      case .album: album(podcast)
      case .playlist: playlist(podcast, entries)
      }
    return sidecar.marked(text, as: name)
  }

  /// Members as audiobookshelf's scanner of podcasts reads them. An address that is likely private is not
  /// for everybody who can read the files.
  private static func metadata(_ podcast: Podcast, _ isPrivate: Bool) -> String {
    let feed = isPrivate ? nil : podcast.feedURL.map(\.text).flatMap(publicAddress)
    let image = isPrivate ? nil : podcast.artworkURL.flatMap(publicAddress)
    let members: [(name: String, value: String?)] = [
      ("title", podcast.shownTitle), ("author", podcast.author), ("feedURL", feed),
      ("imageURL", image), ("itunesId", podcast.id.map { String($0) }),
      (
        "itunesPageURL",
        podcast.id.map { "https://podcasts.apple.com/podcast/id\($0)" }
      ),
    ]
    let lines = members.compactMap { member in
      member.value.map { "  \(quoted(member.name)): \(quoted($0))" }
    }
    return lines.joined(separator: ",\n") + "\n}\n"
  }

  private static func album(_ podcast: Podcast) -> String {
    var markup = PublishedMarkup()
    markup.raw("<album>\n")
    markup.element("title", podcast.shownTitle, indent: "  ")
    markup.element("artist", podcast.author, indent: "  ")
    markup.element("albumartist", podcast.author, indent: "  ")
    markup.raw("  <genre>Podcast</genre>\n</album>\n")
    return String(decoding: markup.bytes, as: UTF8.self)
  }

  private static func playlist(_ podcast: Podcast, _ entries: [Entry]) -> String {
    var text = "#PLAYLIST:\(line(podcast.shownTitle))\n"
    // A name on two lines would be two names, of which the second one may be another file's.
    for entry in entries where !entry.path.unicodeScalars.contains(where: endsLine) {
      let seconds = entry.duration.map { $0.components.seconds } ?? -1
      text += "#EXTINF:\(seconds),\(line(entry.title))\n"
      // What begins with this would be a comment.
      text += (entry.path.hasPrefix("#") ? "./" : "") + entry.path + "\n"
    }
    return text
  }

  private static func endsLine(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  /// A text on one line, without control characters.
  private static func line(_ text: String) -> String { TerminalText.safe(text) }

  private static func publicAddress(_ address: String) -> String? {
    let bare = AddressRedaction.withoutCredentials(address)
    guard bare == address, let parts = WebAddress(WebAddress.forRequest(address)),
      !AddressSecrets.areLikely(in: parts)
    else { return nil }
    return address
  }

  private static func quoted(_ text: String) -> String {
    guard let data = try? JSONEncoder().encode(text) else { return "\"\"" }
    return String(decoding: data, as: UTF8.self).replacing("\\/", with: "/")
  }
}

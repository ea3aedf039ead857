import FoundationEssentials
internal import PodcastModel

extension PublishedPodcast {
  /// The page of the podcast in UTF-8: plain HTML with a player for each episode. It needs nothing
  /// besides the files in its folder, and no script.
  package func page(isListed: Bool) -> [UInt8] {
    var output = PublishedMarkup()
    output.beginPage(title, isListed: isListed, feed: Self.feedName)
    output.raw("<header>\n")
    if let artwork {
      output.raw("<img src=\"")
      output.text(artwork)
      output.raw("\" alt=\"\">\n")
    }
    output.raw("<div>\n")
    output.heading(title)
    if let author {
      output.raw("<p>")
      output.isolated(author)
      output.raw("</p>\n")
    }
    output.raw("<p>")
    output.text(Self.count(items.count, bytes))
    output.raw(" · <a href=\"")
    output.text(Self.feedName)
    output.raw("\">Feed</a> · <a href=\"../")
    output.text(Self.pageName)
    output.raw("\">All podcasts</a></p>\n</div>\n</header>\n<main>\n")
    for item in items { item.write(to: &output) }
    output.raw("</main>\n</body>\n</html>\n")
    return output.bytes
  }

  /// The page that links to the pages of all podcasts.
  package static func index(of podcasts: [PublishedPodcast], isListed: Bool) -> [UInt8] {
    var output = PublishedMarkup()
    output.beginPage("Podcasts", isListed: isListed, feed: nil)
    output.raw("<header><div>\n<h1>Podcasts</h1>\n")
    output.raw("<p><a href=\"")
    output.text(listName)
    output.raw("\">All feeds as OPML</a></p>\n</div></header>\n<main>\n")
    for podcast in podcasts {
      output.raw("<article class=\"podcast\">\n")
      if let artwork = podcast.artwork {
        output.raw("<img src=\"")
        output.text(podcast.path(artwork))
        output.raw("\" alt=\"\" loading=\"lazy\">\n")
      }
      output.raw("<div>\n<h2><a href=\"")
      output.text(podcast.path(pageName))
      output.raw("\">")
      output.isolated(podcast.title)
      output.raw("</a></h2>\n<p>")
      output.text(count(podcast.items.count, podcast.bytes))
      output.raw(" · <a href=\"")
      output.text(podcast.path(feedName))
      output.raw("\">Feed</a></p>\n</div>\n</article>\n")
    }
    output.raw("</main>\n</body>\n</html>\n")
    return output.bytes
  }

  private static func count(_ episodes: Int, _ bytes: Int64) -> String {
    "\(episodes == 1 ? "1 episode" : "\(episodes) episodes"), \(ByteText.size(bytes))"
  }
}

extension PublishedItem {
  fileprivate func write(to output: inout PublishedMarkup) {
    output.raw("<article>\n<h2>")
    output.isolated(title)
    output.raw("</h2>\n<p>")
    let facts = [
      date.map { CivilDay($0).description }, seconds.map { DurationText.clock(.seconds($0)) },
      ByteText.size(bytes),
    ]
    output.text(facts.compactMap(\.self).joined(separator: " · "))
    output.raw(" · <a href=\"")
    output.text(file)
    output.raw("\">File</a></p>\n")
    let type = mediaType
    if type.hasPrefix("audio/") {
      output.raw("<audio controls preload=\"none\" src=\"")
      output.text(file)
      output.raw("\"></audio>\n")
    } else if type.hasPrefix("video/") {
      output.raw("<video controls preload=\"none\" src=\"")
      output.text(file)
      output.raw("\"></video>\n")
    }
    output.raw("</article>\n")
  }
}

extension PublishedMarkup {
  /// Writes a text of an unknown direction, without characters that hide or reorder text, and no more of
  /// it than a person reads.
  fileprivate mutating func isolated(_ text: String) {
    raw("<bdi>")
    self.text(TerminalText.truncated(TerminalText.safe(text), to: 300))
    raw("</bdi>")
  }

  fileprivate mutating func heading(_ text: String) {
    raw("<h1>")
    isolated(text)
    raw("</h1>\n")
  }

  fileprivate mutating func beginPage(_ title: String, isListed: Bool, feed: String?) {
    raw(
      """
      <!DOCTYPE html>
      <html>
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src 'self'; \
      media-src 'self'; style-src 'unsafe-inline'">
      <meta name="referrer" content="no-referrer">

      """)
    if !isListed { raw("<meta name=\"robots\" content=\"noindex\">\n") }
    raw("<title>")
    text(TerminalText.safe(title))
    raw("</title>\n")
    if let feed {
      raw("<link rel=\"alternate\" type=\"application/rss+xml\" href=\"")
      text(feed)
      raw("\">\n")
    }
    raw(Self.style)
    raw("</head>\n<body>\n")
  }

  private static let style: StaticString = """
    <style>
    :root { color-scheme: light dark; --back: #fff; --text: #1b1b1b; --dim: #5c5c5c;
      --line: #ddd; --link: #0b57d0 }
    @media (prefers-color-scheme: dark) {
      :root { --back: #121212; --text: #e8e8e8; --dim: #a8a8a8; --line: #333; --link: #8ab4f8 }
    }
    body { background: var(--back); color: var(--text); font: 1rem/1.5 system-ui, sans-serif;
      margin: 0 auto; max-width: 46rem; overflow-wrap: anywhere; padding: 1rem }
    a { color: var(--link) }
    h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 }
    h2 { font-size: 1.05rem; line-height: 1.35; margin: 0 }
    p { color: var(--dim); font-size: .9rem; margin: .25rem 0 }
    header, .podcast { align-items: center; display: flex; gap: 1rem }
    img { border-radius: .5rem; flex: none; height: 6rem; object-fit: cover; width: 6rem }
    .podcast img { height: 4rem; width: 4rem }
    article { border-top: 1px solid var(--line); margin-top: 1rem; padding-top: 1rem }
    audio, video { display: block; margin-top: .5rem; max-width: 100%; width: 100% }
    </style>

    """
}

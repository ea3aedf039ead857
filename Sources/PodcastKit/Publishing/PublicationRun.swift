package import PodcastFeeds
package import PodcastLibrary
package import PodcastModel

/// Publishes podcasts of a library into a folder. It blocks on the disk.
package struct PublicationRun: Sendable {
  /// What was published of a podcast, or would be.
  package struct Published: Sendable {
    /// The podcast as the library has it.
    package var podcast: Podcast
    /// The address of its feed.
    package var feed: String
    /// The address of its page.
    package var page: String
    /// How many episodes it has.
    package var episodes: Int
    /// Their size.
    package var bytes: Int64
    /// How many of its files are new or have changed.
    package var written: Int
  }

  /// The result of a publication.
  package struct Report: Sendable {
    /// The podcasts in the order of their titles.
    package var podcasts: [Published] = []
    /// How many files are new or have changed.
    package var written = 0
    /// How many files were removed, because nothing has them any more.
    package var removed = 0
    /// What is not as it could be, in a sentence each.
    package var notes: [String] = []
    /// Why files are not as the library has them: they cannot be read, or somebody changed them.
    package var errors: [PodgetError] = []
  }

  /// How a publication is made.
  package struct Options: Sendable {
    /// Whether directories and search engines may list the podcasts.
    package var isListed = false
    /// Whether episodes are copied, for a folder on another disk; otherwise they are linked.
    package var copiesFiles = false
    /// Whether the bytes of earlier copies are compared.
    package var verifiesCopies = false
    /// A folder with the artwork of podcasts; nil for none.
    package var artworkFolder: String?
    /// Whether most of what was published may go, and the files of another library.
    package var removesMost = false
    /// Whether nothing is written.
    package var isDryRun = false

    /// The usual options.
    package init() {}

    var placing: PublicationFolder.Placing {
      copiesFiles || verifiesCopies ? .copy(verifies: verifiesCopies) : .link
    }
  }

  let library: Library
  let base: PublicationBase
  let options: Options

  /// Creates a run.
  ///
  /// - Parameters:
  ///   - library: the library.
  ///   - base: the address of the folder.
  ///   - options: how it is made.
  package init(_ library: Library, at base: PublicationBase, _ options: Options) {
    (self.library, self.base, self.options) = (library, base, options)
  }

  /// Publishes into a folder, which then has these podcasts and no others.
  ///
  /// - Throws: a ``PodgetError`` of the folder; then each of its files is an old or a new one.
  package func publish(_ plan: PublicationPlan, into path: String) throws(PodgetError) -> Report {
    var plan = plan
    var folder = try PublicationFolder(
      path, for: library, plan.topFolders, isDryRun: options.isDryRun)
    var final = PublicationRecord(
      identities: plan.name(folder.earlier.identities), guids: folder.earlier.guids)
    let images = try options.artworkFolder.map { path throws(PodgetError) in
      try PublicationArtworks(path, of: plan.shows).images
    }
    let pairs = zip(plan.shows, images ?? plan.shows.map { _ in nil })
    try folder.requireFree(
      plan.texts + pairs.compactMap { show, image in image.map { show.published.path($0.name) } })
    var report = Report()
    let shows = try pairs.map { (show, image) throws(PodgetError) in
      try examined(show, image, in: &folder, &final, &report)
    }
    final.library = library.identity
    if !options.removesMost { try requireMeant(final, plan, in: folder) }
    noteModes(of: folder, shows, in: &report)
    do throws(PodgetError) {
      try folder.announce(final)
      let texts = try shows.map { (show) throws(PodgetError) in
        try placed(show, in: &folder, &final, &report)
      }
      try write(texts.compactMap(\.self), in: &folder, &final, &report)
      let (removed, errors) = try folder.end(final)
      report.removed = removed
      report.errors += errors
    } catch {
      folder.endEarly()
      throw error
    }
    return report
  }

  /// Writes the texts that have changed.
  private func write(
    _ shows: [Placed], in folder: inout PublicationFolder, _ final: inout PublicationRecord,
    _ report: inout Report
  ) throws(PodgetError) {
    let all = shows.map(\.published)
    var changed: [(path: String, text: Text, show: Int?)] = []
    for (place, show) in shows.enumerated() {
      for text in show.texts {
        let path = show.published.path(text.name)
        if try isNew(text, of: all, place, at: path, in: &folder, &final) {
          changed.append((path, text, place))
        }
      }
    }
    for text in [Text.list, .index]
    where try isNew(text, of: all, nil, at: text.name, in: &folder, &final) {
      changed.append((text.name, text, nil))
    }
    try folder.announce(final)
    var written = shows.map(\.written)
    for (path, text, place) in changed {
      // It is not kept from before: a thousand feeds are large.
      try folder.write(try bytes(of: text, all, place), to: path)
      if let place { written[place] += 1 } else { report.written += 1 }
    }
    report.written += written.reduce(0, +)
    report.podcasts = zip(shows, written).map { show, written in
      let published = show.published
      return Published(
        podcast: show.podcast,
        feed: base.address(of: published.path(PublishedPodcast.feedName)),
        page: base.address(of: published.path(PublishedPodcast.pageName)),
        episodes: published.items.count, bytes: published.bytes, written: written)
    }
  }

  private func isNew(
    _ text: Text, of all: [PublishedPodcast], _ place: Int?, at path: String,
    in folder: inout PublicationFolder, _ final: inout PublicationRecord
  ) throws(PodgetError) -> Bool {
    let print: FilePrint
    if case .artwork(_, let known) = text {
      print = known
    } else {
      print = FilePrint(text: try bytes(of: text, all, place))
    }
    final.insert(path, print)
    return try folder.needs(print, at: path)
  }

  private func bytes(
    of text: Text, _ all: [PublishedPodcast], _ place: Int?
  ) throws(PodgetError) -> [UInt8] {
    switch text {
    case .list: PublishedPodcast.list(of: all, at: base)
    case .index: PublishedPodcast.index(of: all, isListed: options.isListed)
    case .page: place.map { all[$0].page(isListed: options.isListed) } ?? []
    case .feed: place.map { all[$0].feed(at: base, isListed: options.isListed) } ?? []
    case .artwork(let image, let print): try image.bytes(print)
    }
  }
}

extension PublicationRun {
  /// A text, or an image, that podget writes.
  enum Text {
    case list, index, page, feed
    /// One image at a time is in memory.
    case artwork(PublicationArtworks.Image, FilePrint)

    /// Its name in its folder.
    var name: String {
      switch self {
      case .list: PublishedPodcast.listName
      case .index, .page: PublishedPodcast.pageName
      case .feed: PublishedPodcast.feedName
      case .artwork(let image, _): image.name
      }
    }
  }
}

internal import CFiles
import Glibc
package import PodcastFeeds
package import PodcastLibrary
package import PodcastModel
import PodcastTransfer

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
    /// Why episodes are left out whose files cannot be read.
    package var errors: [PodgetError] = []
  }

  private let library: Library
  private let base: PublicationBase
  private let isListed: Bool
  private let copiesFiles: Bool
  private let isDryRun: Bool
  private let artworkFolder: String?

  /// Creates a run.
  ///
  /// - Parameters:
  ///   - library: the library.
  ///   - base: the address of the folder.
  ///   - isListed: whether directories and search engines may list the podcasts.
  ///   - copiesFiles: whether episodes are copied, for a folder on another disk; otherwise they are
  ///     linked.
  ///   - artworkFolder: a folder with the artwork of podcasts; nil for none.
  ///   - isDryRun: whether nothing is written.
  package init(
    _ library: Library, at base: PublicationBase, isListed: Bool, copiesFiles: Bool,
    artworkFolder: String?, isDryRun: Bool
  ) {
    self.artworkFolder = artworkFolder
    self.library = library
    self.base = base
    self.isListed = isListed
    self.copiesFiles = copiesFiles
    self.isDryRun = isDryRun
  }

  /// Publishes into a folder, which then has these podcasts and no others.
  ///
  /// - Throws: a ``PodgetError`` of the folder; then each of its files is an old or a new one.
  package func publish(_ plan: PublicationPlan, into path: String) throws(PodgetError) -> Report {
    let artworks = try artworkFolder.map { path throws(PodgetError) in
      try PublicationArtworks(path, of: plan.shows)
    }
    let images = artworks?.images ?? plan.shows.map { _ in nil }
    var folder = try PublicationFolder(path, for: library, isDryRun: isDryRun)
    var report = Report()
    var all: [PublishedPodcast] = []
    let planned = plan.paths(images.map { $0?.name })
    try folder.requireFree(planned)
    try folder.begin(planned)
    var present: Set = [PublishedPodcast.pageName, PublishedPodcast.listName]
    for (show, image) in zip(plan.shows, images) {
      var published = show.published
      var written = try place(show, in: &folder, &published, &report)
      guard !published.items.isEmpty else { continue }
      let paths = published.items.map { published.path($0.file) }
      present.formUnion(paths)
      if let image {
        do throws(PodgetError) {
          let bytes = try image.bytes()
          let path = published.path(image.name)
          written += try folder.write(bytes, to: path) ? 1 : 0
          present.insert(path)
          published.artwork = image.name
        } catch {
          report.errors.append(error)
        }
      }
      for (name, bytes) in [
        (PublishedPodcast.pageName, published.page(isListed: isListed)),
        (PublishedPodcast.feedName, published.feed(at: base, isListed: isListed)),
      ] {
        written += try folder.write(bytes, to: published.path(name)) ? 1 : 0
        present.insert(published.path(name))
      }
      report.written += written
      report.podcasts.append(
        Published(
          podcast: show.podcast,
          feed: base.address(of: published.path(PublishedPodcast.feedName)),
          page: base.address(of: published.path(PublishedPodcast.pageName)),
          episodes: published.items.count, bytes: published.bytes, written: written))
      all.append(published)
    }
    for (name, bytes) in [
      (PublishedPodcast.listName, PublishedPodcast.list(of: all, at: base)),
      (PublishedPodcast.pageName, PublishedPodcast.index(of: all, isListed: isListed)),
    ] {
      report.written += try folder.write(bytes, to: name) ? 1 : 0
    }
    report.removed = try folder.end(present, of: planned)
    return report
  }

  /// Places the files of a podcast's episodes; one that cannot be read is left out.
  ///
  /// - Returns: how many are new or have changed.
  private func place(
    _ show: PublicationPlan.Show, in folder: inout PublicationFolder,
    _ published: inout PublishedPodcast, _ report: inout Report
  ) throws(PodgetError) -> Int {
    var written = 0
    var opened: (path: String, folder: OpenFile)?
    for (local, file) in show.episodes {
      let media: OpenFile
      let bytes: Int64
      do throws(DiskError) {
        let (path, name) = LibraryPath.split(local.path)
        if opened?.path != path {
          opened = (path, try OpenFile.folder(path, in: library.root, creating: false))
        }
        guard let opened = opened?.folder else { continue }
        media = try opened.mediaFile(name)
        guard let status = media.status, status.is_regular else {
          throw DiskError(EINVAL, "read", name, reason: "it is not a regular file")
        }
        bytes = status.size
      } catch {
        report.errors.append(
          error.at(error.operation, LibraryPath.join(library.path, local.path)).podgetError)
        continue
      }
      written += try folder.place(media, as: published.path(file), copying: copiesFiles) ? 1 : 0
      published.items.append(
        PublishedItem(local.episode, key: local.plan.episodeKey, file: file, bytes: bytes))
    }
    return written
  }
}

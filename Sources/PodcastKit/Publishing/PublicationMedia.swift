internal import CFiles
import FoundationEssentials
import Glibc
import PodcastFeeds
import PodcastLibrary
import PodcastModel
internal import PodcastSystem
import PodcastTransfer

/// The files of episodes: which of them can be published, and what becomes of those that cannot be read.
extension PublicationRun {
  /// An episode that is published, or will be.
  struct Candidate {
    var local: LocalEpisode
    /// The name of its file.
    var file: String
    var bytes: Int64
    /// Whether its file has yet to come into the folder.
    var isNew: Bool
    /// Whether the library's file can be read by everybody.
    var isReadable = true
  }

  /// A podcast whose files were looked at.
  struct Examined {
    var show: PublicationPlan.Show
    var image: PublicationArtworks.Image?
    var episodes: [Candidate] = []
  }

  /// A podcast whose episodes are in the folder.
  struct Placed {
    var podcast: Podcast
    var published: PublishedPodcast
    /// What is written of it.
    var texts: [Text]
    /// How many of its files are new.
    var written: Int
  }

  /// Looks at the files of a podcast, and records what will be there of them.
  func examined(
    _ show: PublicationPlan.Show, _ image: PublicationArtworks.Image?,
    in folder: inout PublicationFolder, _ final: inout PublicationRecord, _ report: inout Report
  ) throws(PodgetError) -> Examined {
    var result = Examined(show: show, image: image)
    for path in show.leftOut {
      report.notes.append(
        "\(LibraryPath.join(library.path, path)) is left out: no feed can say of which type it is.")
    }
    var source = EpisodeSource(library)
    for (local, file) in show.episodes {
      let path = show.published.path(file)
      let opened: EpisodeSource.Opened?
      do throws(DiskError) {
        opened = try source.open(local)
      } catch {
        if let kept = try kept(local, file, error, at: path, in: &folder, &final, &report) {
          result.episodes.append(kept)
        }
        continue
      }
      guard let opened else { continue }
      let print: FilePrint?
      do throws(PodgetError) {
        print = try folder.current(
          opened.file, opened.status, sha256: local.sha256, at: path, as: options.placing)
      } catch {
        // What was published there is not podget's any more, or cannot be read.
        guard let record = folder.earlier.files[path] else { throw error }
        report.errors.append(error)
        if let kept = try kept(local, file, at: path, in: &folder, &final) {
          result.episodes.append(kept)
        } else {
          // A folder or a link is in its place. It stays, and so does what is known of the file.
          final.files[path] = record
        }
        continue
      }
      final.insert(path, print ?? FilePrint(opened.status))
      result.episodes.append(
        Candidate(
          local: local, file: file, bytes: opened.status.size, isNew: print == nil,
          isReadable: opened.status.permissions & UInt32(S_IROTH) != 0))
    }
    return result
  }

  /// Brings the files of a podcast's episodes into the folder.
  ///
  /// - Returns: nil for a podcast without episodes.
  func placed(
    _ examined: Examined, in folder: inout PublicationFolder, _ final: inout PublicationRecord,
    _ report: inout Report
  ) throws(PodgetError) -> Placed? {
    var published = examined.show.published
    var written = 0
    var source = EpisodeSource(library)
    for candidate in examined.episodes {
      var candidate = candidate
      let path = published.path(candidate.file)
      if candidate.isNew {
        do throws(DiskError) {
          guard let opened = try source.open(candidate.local) else {
            throw DiskError(ENOENT, "open", path)
          }
          try opened.requireMedia()
          try opened.requireRecorded(candidate.local.sha256)
          let print = try folder.place(opened.file, at: path, as: options.placing)
          final.files[path] = PublicationRecord.File(prints: [print])
          candidate.bytes = print.bytes
          written += 1
        } catch {
          final.files[path] = nil
          // Any other operation is one on the published folder.
          guard ["open", "read", "copy", "publish"].contains(error.operation) else {
            throw error.at(error.operation, LibraryPath.join(folder.path, path)).podgetError
          }
          guard
            let kept = try kept(
              candidate.local, candidate.file, error, at: path, in: &folder, &final, &report)
          else { continue }
          candidate = kept
        }
      }
      published.items.append(
        PublishedItem(
          candidate.local.episode, key: candidate.local.plan.episodeKey, file: candidate.file,
          bytes: candidate.bytes))
    }
    guard !published.items.isEmpty else { return nil }
    let (earlier, show) = (folder.earlier, examined.show.published)
    PublishedItem.makeDistinct(&published.items) { earlier.guids[show.path($0)] }
    for item in published.items { final.guids[show.path(item.key)] = item.published }
    var texts: [Text] = []
    if let image = examined.image {
      do throws(PodgetError) {
        texts.append(.artwork(image, FilePrint(text: try image.bytes())))
        published.artwork = image.name
      } catch {
        report.errors.append(error)
        // What was published before is better than none.
        for name in PublicationArtworks.names where published.artwork == nil {
          guard let record = earlier.files[show.path(name)],
            try folder.there(show.path(name))?.status.is_regular == true
          else { continue }
          final.files[show.path(name)] = record
          published.artwork = name
        }
      }
    }
    return Placed(
      podcast: examined.show.podcast, published: published, texts: texts + [.page, .feed],
      written: written)
  }

  /// A web server must be able to open the folder, and links need one that may read the library's files.
  func noteModes(of folder: PublicationFolder, _ shows: [Examined], in report: inout Report) {
    if let mode = folder.root?.status?.permissions, mode & UInt32(S_IXGRP | S_IXOTH) == 0 {
      report.notes.append(
        "\(folder.path) can be opened by its owner only, and so perhaps not by the web server: chmod o+rx "
          + "changes that.")
    }
    guard options.placing == .link else { return }
    let count = shows.reduce(0) { $0 + $1.episodes.count { !$0.isReadable } }
    guard count > 0 else { return }
    report.notes.append(
      "\(count == 1 ? "1 episode" : "\(count) episodes") can be read by some users only, and so perhaps "
        + "not by the web server: chmod o+r changes that, and --copy makes files that all can read."
    )
  }

  /// What was published of an episode whose file cannot be read now; nil if nothing was.
  private func kept(
    _ local: LocalEpisode, _ file: String, _ error: DiskError, at path: String,
    in folder: inout PublicationFolder, _ final: inout PublicationRecord, _ report: inout Report
  ) throws(PodgetError) -> Candidate? {
    let error = error.at(error.operation, LibraryPath.join(library.path, local.path))
    guard let kept = try kept(local, file, at: path, in: &folder, &final) else {
      if local.status == .complete { report.errors.append(error.podgetError) }
      return nil
    }
    report.errors.append(
      DiskError(
        error.number, error.operation, error.path,
        reason: "\(error.explanation); what was published of it stays"
      ).podgetError)
    return kept
  }

  /// What is at the path of an episode that was published; nil if it was not, or is gone.
  private func kept(
    _ local: LocalEpisode, _ file: String, at path: String, in folder: inout PublicationFolder,
    _ final: inout PublicationRecord
  ) throws(PodgetError) -> Candidate? {
    guard let record = folder.earlier.files[path], let (_, status) = try folder.there(path),
      status.is_regular
    else { return nil }
    final.files[path] = record
    return Candidate(local: local, file: file, bytes: status.size, isNew: false)
  }
}

/// The files of a library's episodes.
struct EpisodeSource {
  /// An open file.
  struct Opened {
    var file: OpenFile
    var status: OpenFile.Status
    /// Whether a symbolic link led to it.
    var isLinked: Bool

    /// Makes sure that it is no text: a record or a page that a name or a link leads to.
    func requireMedia() throws(DiskError) {
      var start = [UInt8](repeating: 0, count: FileCheck.windowSize)
      let count = try retryingInterrupts("read", "") {
        pread(file.number, &start, start.count, 0)
      }
      let isWhole = Int64(count) == status.size
      if case .text = FileCheck.verdict(start: Array(start[..<count]), isWhole: isWhole) {
        throw DiskError(EINVAL, "publish", "", reason: "it is a text and no media")
      }
    }

    /// Makes sure that a link leads to the recorded file. Who can write to the library can make a link to
    /// any file of this user, but does not know the checksum of one that they cannot read.
    func requireRecorded(_ sha256: String?) throws(DiskError) {
      guard isLinked else { return }
      guard let sha256 else {
        throw DiskError(
          EINVAL, "publish", "", reason: "it is a link, and no checksum of its file is on record")
      }
      guard try file.sha256("") == sha256.lowercased() else {
        throw DiskError(
          EINVAL, "publish", "", reason: "it is a link to another file than the recorded one")
      }
    }
  }

  private let library: Library
  private var last: (path: String, folder: OpenFile)?

  init(_ library: Library) { self.library = library }

  /// Opens the file of an episode; nil if it is not complete because its file is gone. A link whose file is
  /// not there is an error: its disk may be away.
  mutating func open(_ local: LocalEpisode) throws(DiskError) -> Opened? {
    let isMissing = local.status == .missing
    let (path, name) = LibraryPath.split(local.path)
    if last?.path.utf8.elementsEqual(path.utf8) != true {
      do throws(DiskError) {
        last = (path, try OpenFile.folder(path, in: library.root, creating: false))
      } catch {
        let top = LibraryPath.parts(path).first ?? ""
        let isLink = library.root.status(of: top)?.is_link == true
        guard !isMissing || isLink || error.number != ENOENT else { return nil }
        throw error
      }
    }
    guard let folder = last?.folder else { return nil }
    let named = folder.status(of: name)
    if isMissing, named == nil { return nil }
    let file = try folder.mediaFile(name)
    guard let status = file.status, status.is_regular else {
      throw DiskError(EINVAL, "open", name, reason: "it is not a regular file")
    }
    let isLinked = named?.is_link == true
    if isLinked { try requireOther(file, name) }
    return isMissing ? nil : Opened(file: file, status: status, isLinked: isLinked)
  }

  /// Makes sure that a link does not lead to a record or a partial file.
  private func requireOther(_ file: OpenFile, _ name: String) throws(DiskError) {
    let target = OperatingSystem.path(of: file.number).map { String(decoding: $0, as: UTF8.self) }
    guard let target, !LibraryPath.parts(target).contains(where: { $0.hasPrefix(".podget") })
    else {
      throw DiskError(
        EINVAL, "publish", name, reason: "it leads to a file that podget keeps for itself")
    }
  }
}

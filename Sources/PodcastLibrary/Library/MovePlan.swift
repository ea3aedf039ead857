import FoundationEssentials
public import PodcastModel
import PodcastTransfer

extension Library {
  /// The moves that rename episodes by a template; those that already have such a name stay.
  ///
  /// All names are planned before the first file moves, without conflicts with each other and with
  /// everything that stays. Only complete files move: an episode that is missing, unfinished or
  /// being downloaded again keeps its recorded name.
  ///
  /// - Parameters:
  ///   - template: the template for the names.
  ///   - episodes: the episodes to move, some or all of those in the reading.
  ///   - reading: the content of the library.
  ///   - keepsNames: whether the files keep their names, and only folders change.
  /// - Throws: a ``PodgetError`` with the code `disk` when a folder or its record cannot be read.
  public func moves(
    to template: FilenameTemplate, of episodes: [LocalEpisode], in reading: LibraryReading,
    keepsNames: Bool = false
  ) throws(PodgetError) -> [FileMove] {
    var wanted = WantedNames()
    let unfinished = unfinishedKeys
    let plain = Self.plainPodcasts(reading.episodes)
    for (place, local) in episodes.enumerated() where local.status == .complete {
      // A download may be meant to replace the file by its name.
      guard let key = EpisodeKey(local.key), !unfinished.contains(key) else { continue }
      let podcast = plain.isEmpty ? local.podcast : plain[local.podcast] ?? local.podcast
      var name = template.components(podcast: podcast, episode: local.episode)
      if keepsNames { name.stem = FileName.stem(of: LibraryPath.split(local.path).name) }
      guard !local.isNamed(name) else { continue }
      wanted.add(place, key, name)
    }
    return try wanted.moves(of: episodes, by: template, in: self, reading)
  }

  /// The moves that undo those in a file, for the episodes that are still where these moves put
  /// them; the others were moved again.
  ///
  /// - Parameters:
  ///   - path: the file's path, as the process sees it.
  ///   - episodes: the library's episodes.
  /// - Returns: the moves, and how many files are elsewhere by now or are being downloaded again.
  /// - Throws: a ``PodgetError`` with the code `disk` when it cannot be read, `decoding` when it is
  ///   not such a file.
  public func undoing(
    _ path: String, among episodes: [LocalEpisode]
  ) throws(PodgetError) -> (moves: [FileMove], elsewhere: Int, unfinished: Int) {
    let unfinished = unfinishedKeys
    var paths: [EpisodeKey: RelativePath] = [:]
    for local in episodes where local.status == .complete {
      paths[local.plan.episodeKey] = RelativePath(local.path)
    }
    let decoder = JSONDecoder()
    var moves: [FileMove] = []
    var (elsewhere, kept) = (0, 0)
    var isRight = true
    do throws(DiskError) {
      let limit = FolderRecords.maximumBytes
      let file = try OpenFile.ownFile(path, limit: limit, followsLinks: true)
      try file.forEachLine(path, limit: limit) { line in
        if line == Self.endOfMoves { return }
        guard isRight, let line, let move = try? decoder.decode(FileMove.self, from: line),
          move.from != .library, move.to != .library
        else {
          isRight = false
          return
        }
        if unfinished.contains(move.key) {
          kept += 1
        } else if paths[move.key] == move.to {
          moves.append(move.reversed)
        } else {
          elsewhere += 1
        }
      }
    } catch {
      throw error.podgetError
    }
    guard isRight else {
      throw PodgetError(.decoding, "\(path) is not a list of renamed files.")
    }
    return (moves, elsewhere, kept)
  }
}

extension Library {
  /// Podcasts as some records have them, with references in the title (`Rock &amp; Roll`), and the same
  /// with the title that others have without these: new names must not make two folders of one.
  private static func plainPodcasts(_ episodes: [LocalEpisode]) -> [Podcast: Podcast] {
    var all: Set<Podcast> = []
    var last: Podcast?
    // The episodes of a podcast are adjacent, as in its folder.
    for local in episodes where local.podcast != last {
      all.insert(local.podcast)
      last = local.podcast
    }
    let escaped = all.filter { $0.title.utf8.contains(UInt8(ascii: "&")) }
    guard !escaped.isEmpty else { return [:] }
    let namesakes = Dictionary(grouping: all) { PodcastIdentity($0).title }
    var plain: [Podcast: Podcast] = [:]
    for podcast in escaped {
      let identity = PodcastIdentity(podcast)
      let titles = namesakes[identity.title, default: []].filter { other in
        TitleReferences.isEscaped(podcast.title, of: other.title)
          && identity.relation(to: PodcastIdentity(other)) == .same
      }.map(\.title)
      guard let title = titles.min(by: { $0.utf8.count < $1.utf8.count }) else { continue }
      plain[podcast] = podcast
      plain[podcast]?.title = title
    }
    return plain
  }

  /// The episodes with unfinished downloads, including those that are being downloaded again.
  public var unfinishedKeys: Set<EpisodeKey> { Set(unfinished().map(\.plan.episodeKey)) }
}

extension LocalEpisode {
  /// Whether its file has this name, or this one with a suffix that makes it unique.
  fileprivate func isNamed(_ wanted: FilenameTemplate.Name) -> Bool {
    let (folder, file) = LibraryPath.split(path)
    guard folder == wanted.folder else { return false }
    let stem = FileName.stem(of: file)
    if stem == wanted.stem { return true }
    guard stem.utf8.last == UInt8(ascii: "]"), stem.hasPrefix("\(wanted.stem) [") else {
      return false
    }
    let suffix = stem.dropFirst(wanted.stem.count + 2).dropLast()
    return suffix.count >= 6 && key.hasPrefix(suffix)
  }
}

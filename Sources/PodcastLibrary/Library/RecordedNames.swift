import Glibc
import PodcastModel
import PodcastTransfer

/// The names of a library's episodes by folder, from one reading of it: no record is read again for
/// them.
struct RecordedNames: Sendable {
  private let episodes: [LocalEpisode]
  private let copies: [LocalEpisode]
  /// The positions of the episodes in each folder, copies last; the folders by their comparison
  /// form, because on some disks `show` is the same folder as `Show`.
  private var places: [String: [Int32]] = [:]

  /// Sorts the episodes of a reading by their folders.
  init(_ reading: LibraryReading) {
    episodes = reading.episodes
    copies = reading.copies + reading.absent
    var groups: [[Int32]] = []
    var numbers: [String: Int] = [:]
    // The episodes of a folder are adjacent.
    var last: (folder: String, number: Int)?
    for place in 0..<(episodes.count + copies.count) {
      let local = episode(place)
      // An unfinished episode has no file under its name.
      guard !local.status.isUnfinished, let place = Int32(exactly: place) else { continue }
      let path = local.path
      let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[..<$0] } ?? ""
      if let last, last.folder == folder {
        groups[last.number].append(place)
        continue
      }
      let number = numbers[FileName.comparisonKey(String(folder)), default: groups.endIndex]
      if number == groups.endIndex {
        numbers[FileName.comparisonKey(String(folder))] = number
        groups.append([])
      }
      groups[number].append(place)
      last = (String(folder), number)
    }
    places = numbers.mapValues { groups[$0] }
  }

  private func episode(_ place: Int) -> LocalEpisode {
    place < episodes.count ? episodes[place] : copies[place - episodes.count]
  }

  /// The names that are taken in a folder: recorded names, and those of all other files there.
  ///
  /// - Parameters:
  ///   - folder: its path below the library.
  ///   - library: the library.
  ///   - isLeaving: whether the episode with a key releases its name.
  /// - Throws: a ``PodgetError`` with the code `disk` when the folder cannot be opened.
  func taken(
    in folder: String, of library: Library, isLeaving: (EpisodeKey) -> Bool = { _ in false }
  ) throws(PodgetError) -> TakenNames {
    var taken = TakenNames()
    var recorded: Set<String> = []
    for place in places[FileName.comparisonKey(folder)] ?? [] {
      let local = episode(Int(place))
      let (path, name) = LibraryPath.split(local.path)
      recorded.insert(name)
      let key = local.key
      // A file that is gone keeps its name for the same episode.
      if EpisodeKey(key).map(isLeaving) != true { taken.add(folder: path, name: name, owner: key) }
    }
    for name in try library.entries(of: folder) where !recorded.contains(name) {
      taken.add(folder: folder, name: name, owner: nil)
    }
    return taken
  }
}

extension Library {
  /// The visible names in a folder; none if there is no such folder.
  fileprivate func entries(of path: String) throws(PodgetError) -> [String] {
    do throws(DiskError) {
      let folder = try OpenFile.folder(path, in: root, creating: false)
      return folder.entries().filter { !$0.utf8.starts(with: ".".utf8) }
    } catch {
      guard error.number == ENOENT || error.number == ENOTDIR else {
        throw unreadable(error.at("read", path))
      }
      return []
    }
  }
}

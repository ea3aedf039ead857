internal import CFiles
import Glibc
import PodcastModel
import PodcastTransfer
import Synchronization

/// Files beside a file of another tool that come into the library with it.
struct AdoptedBelongings: Sendable {
  /// What the endings of names mean; the first of a kind is taken.
  private static let endings: [(ending: String, kind: Belonging)] = [
    (".vtt", .transcript), (".srt", .transcript), (BelongingName.chapters, .chapters),
    (BelongingName.notes, .notes), (".jpg", .artwork), (".png", .artwork), (".webp", .artwork),
  ]

  private let library: Library
  /// The files in the library that this run has taken: two episodes may have one stem.
  private let taken = TakenFiles()

  init(_ library: Library) { self.library = library }

  /// Takes what is beside a file, after the file was adopted. What cannot be taken stays where it is.
  ///
  /// - Parameters:
  ///   - found: the file as it was found.
  ///   - key: the key of its episode.
  ///   - path: its path in the library.
  ///   - isInPlace: whether that is where it was found.
  ///   - isMoving: whether what is taken leaves its old place.
  func take(
    beside found: FoundFile, of key: EpisodeKey, at path: String, isInPlace: Bool, isMoving: Bool
  ) {
    guard let path = RelativePath(path), let folder = try? Adopter.folder(of: found) else { return }
    let files = Self.files(of: found, in: folder)
    guard !files.isEmpty else { return }
    let store = BelongingStore(library)
    if isInPlace {
      let free = files.filter { taken.insert(LibraryPath.split(path.text).folder + "/" + $0.name) }
      try? store.keep(
        free.compactMap { EpisodeFile($0.kind, $0.name, in: folder) }, of: key, at: path)
      return
    }
    var contents: [BelongingStore.Content] = []
    for file in files {
      guard
        let data = try? folder.mediaFile(file.name).readAll(
          file.name, limit: Int64(BelongingLimits.most))
      else { continue }
      var content = BelongingStore.Content(file.kind, bytes: [UInt8](data), ending: file.ending)
      content.permissions = file.status.permissions
      contents.append(content)
    }
    guard let stored = try? store.store(contents, of: key, at: path, mayBeThere: true), isMoving
    else { return }
    for file in files where stored[file.kind] != nil {
      _ = try? folder.remove(file.name, ifStill: file.status)
    }
  }

  private static func files(
    of found: FoundFile, in folder: OpenFile
  ) -> [(kind: Belonging, name: String, ending: String, status: podget_file_status)] {
    var kinds: Set<Belonging> = []
    return endings.compactMap { ending, kind in
      let name = found.stem + ending
      guard !kinds.contains(kind), let status = folder.status(of: name), status.is_regular,
        status.size > 0, status.size <= Int64(BelongingLimits.bytes(kind))
      else { return nil }
      kinds.insert(kind)
      return (kind, name, ending, status)
    }
  }
}

/// Names of files that belong to an episode already.
private final class TakenFiles: Sendable {
  private let paths = Mutex<Set<String>>([])

  /// Whether a path was free until now.
  func insert(_ path: String) -> Bool { paths.withLock { $0.insert(path).inserted } }
}

extension EpisodeFile {
  /// A file that is there; nil if it cannot be read.
  fileprivate init?(_ kind: Belonging, _ name: String, in folder: OpenFile) {
    guard let path = EntryName(name), let file = try? folder.mediaFile(name),
      let bytes = file.status?.size, let sha256 = try? file.sha256(name)
    else { return nil }
    self.init(role: kind.rawValue, path: path, bytes: bytes, sha256: sha256)
  }
}

import FoundationEssentials
import Glibc
import PodcastFeeds
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// The list of the files that podget has published in a folder, and of the names that podcasts have there.
///
/// Only files that are what the list says are replaced and removed. Anybody who can write into the folder
/// can change the list, so that it can name only what podget would write.
struct PublicationRecord: Sendable, Hashable {
  /// Its name in the folder.
  static let name = ".podget-publish"
  private static let firstLine = "podget publish 1"
  static let maximumBytes: Int64 = 64 << 20
  private static let mostIdentities = 256

  /// A published file.
  struct File: Sendable, Hashable {
    /// What it may be: the old and the new content while it is replaced.
    var prints: Set<FilePrint>
  }

  /// The files by their paths below the folder.
  var files: [String: File] = [:]
  /// What feeds had as the guids of episodes, by the folders of podcasts with the keys of episodes. A guid
  /// stays also while an episode is not published, and when its publisher changes it.
  var guids: [String: PublishedGUID] = [:]
  /// The library from which they come, as a hash of its path; nil if nothing was published.
  var library: String?
  /// What identifies the podcasts that were published under each name, as hashes. A name stays with its
  /// podcast also while that is not published.
  var identities: [PublishedName: Set<String>] = [:]

  /// Creates a record without files.
  init(
    identities: [PublishedName: Set<String>] = [:], guids: [String: PublishedGUID] = [:]
  ) {
    (self.identities, self.guids) = (identities, guids)
  }

  /// The record of a folder; an empty one if there is none. A line that podget would not write is ignored.
  ///
  /// - Throws: a ``PodgetError`` for a record that this podget does not know.
  init(in folder: OpenFile, at path: String) throws(PodgetError) {
    let data: Data
    do throws(DiskError) {
      data = try OpenFile.ownContents(Self.name, in: folder, limit: Self.maximumBytes)
    } catch {
      guard error.number != ENOENT else { return }
      throw error.at(error.operation, LibraryPath.join(path, Self.name)).podgetError
    }
    let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
    guard lines.first?.elementsEqual(Self.firstLine) == true else {
      throw PodgetError(
        .disk,
        "\(path)/\(Self.name) is not a list that this podget writes; move it away, and the files that "
          + "podget published there.")
    }
    for line in lines.dropFirst() { read(line.split(separator: " ")) }
  }

  private mutating func read(_ words: [Substring]) {
    guard words.count >= 2 else { return }
    switch words[0] {
    case "library": library = Self.isHash(words[1]) ? String(words[1]) : nil
    case "podcast":
      guard let name = PublishedName(String(words[1])) else { return }
      let hashes = words.dropFirst(2).prefix(Self.mostIdentities).filter(Self.isHash)
      identities[name, default: []].formUnion(hashes.map { String($0) })
    case "file":
      guard words.count >= 3, let print = FilePrint(words[2]), Self.isPublished(words[1])
      else { return }
      insert(String(words[1]), print)
    case "guid":
      let (name, key) = LibraryPath.split(String(words[1]))
      guard PublishedName(name) != nil, EpisodeKey(key) != nil else { return }
      guids[String(words[1])] =
        words.count == 2 ? .key : PublishedGUID(own: PercentEncoding.decoded(words[2]))
    default: break
    }
  }

  /// Adds a file, or what it may be besides.
  mutating func insert(_ path: String, _ print: FilePrint) {
    files[path, default: File(prints: [])].prints.insert(print)
  }

  /// Adds the files and the names of another record.
  mutating func formUnion(_ other: PublicationRecord) {
    for (path, file) in other.files {
      for print in file.prints { insert(path, print) }
    }
    library = other.library ?? library
    identities.merge(other.identities) { $0.union($1) }
    guids.merge(other.guids) { $1 }
  }

  /// The record as a file.
  var bytes: [UInt8] {
    var lines = library.map { ["library \($0)"] } ?? []
    for (name, hashes) in identities where !hashes.isEmpty {
      let hashes = hashes.sorted().prefix(Self.mostIdentities).joined(separator: " ")
      lines.append("podcast \(name.text) \(hashes)")
    }
    for (path, file) in files {
      for print in file.prints { lines.append("file \(path) \(print.text)") }
    }
    for (place, guid) in guids {
      switch guid {
      case .key: lines.append("guid \(place)")
      case .own(let text):
        // Any character may be in it.
        let word = text.utf8.map { byte in
          (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "%")
            ? String(UnicodeScalar(byte)) : PercentEncoding.encoded(byte)
        }
        lines.append("guid \(place) \(word.joined())")
      }
    }
    return Array(([Self.firstLine] + lines.sorted()).joined(separator: "\n").utf8) + [0x0A]
  }

  /// A podcast's identity as the record has it: it may be an address with a token.
  static func hash(_ identity: String) -> String { String(StableHash.of(identity), radix: 16) }

  private static func isHash(_ text: Substring) -> Bool {
    text.utf8.count <= 16 && UInt64(text, radix: 16) != nil
  }

  /// Whether podget may have published a file with this path.
  static func isPublished(_ path: Substring) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count == 1 {
      return [PublishedPodcast.pageName, PublishedPodcast.listName].contains { path == $0 }
    }
    guard parts.count == 2, PublishedName.isName(parts[0].utf8) else { return false }
    return isText(parts[1]) || PublicationArtworks.names.contains { parts[1] == $0 }
      || isMedia(parts[1])
  }

  private static func isText(_ name: Substring) -> Bool {
    [PublishedPodcast.pageName, PublishedPodcast.feedName].contains { name == $0 }
  }

  private static func isMedia(_ name: Substring) -> Bool {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 2 && EpisodeKey(String(parts[0])) != nil
      && FileExtension.mediaType(of: String(parts[1])) != nil
  }

  /// The keys of the episodes whose files are there.
  var episodes: Set<String> {
    Set(
      files.keys.compactMap {
        EpisodeKey(FileName.stem(of: LibraryPath.split($0).name))?.text
      })
  }
}

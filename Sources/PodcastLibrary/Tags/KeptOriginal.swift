package import FoundationEssentials
package import PodcastModel

/// What gives back the file of an episode as it was before podget tagged it.
///
/// The file of it begins with a line of JSON; the steps of ``ReplacedBytes`` follow, each with its kind
/// and its numbers (eight bytes, most significant first).
package struct KeptOriginal: Sendable, Hashable {
  /// A file by its length and its SHA-256.
  package struct Version: Codable, Sendable, Hashable {
    package var bytes: Int64
    /// In lower-case hex.
    package var sha256: String
  }

  /// The first line.
  private struct Head: Codable {
    var version: Int
    var key: EpisodeKey
    var folder: RelativePath
    var file: EntryName
    var original: Version
    var tagged: Version
  }

  private static let version = 1
  /// The longest file of it.
  static let largest = Int64(ReplacedBytes.mostBytes) + Int64(ReplacedBytes.mostSteps) * 17 + 65_536

  package var key: EpisodeKey
  /// Where the file was when it was tagged; it may have moved since.
  package var folder: RelativePath
  package var file: EntryName
  package var original: Version
  package var tagged: Version
  package var replaced: ReplacedBytes

  /// Creates it from its parts.
  package init(
    key: EpisodeKey, folder: RelativePath, file: EntryName, original: Version, tagged: Version,
    replaced: ReplacedBytes
  ) {
    (self.key, self.folder, self.file) = (key, folder, file)
    (self.original, self.tagged, self.replaced) = (original, tagged, replaced)
  }
}

extension KeptOriginal {
  private static let copy = UInt8(ascii: "c")
  private static let bytes = UInt8(ascii: "b")
  private static let end = UInt8(ascii: ".")

  /// The content of its file; nil if it has no form.
  package var data: Data? {
    let head = Head(
      version: Self.version, key: key, folder: folder, file: file, original: original,
      tagged: tagged)
    guard var data = try? RecordEncoder.data(head, for: "") else { return nil }
    data.append(0x0A)
    for step in replaced.steps {
      switch step {
      case .copy(let offset, let count):
        data.append(Self.copy)
        data.append(contentsOf: Self.bigEndian(offset) + Self.bigEndian(count))
      case .bytes(let bytes):
        data.append(Self.bytes)
        data.append(contentsOf: Self.bigEndian(Int64(bytes.count)))
        data.append(bytes)
      }
    }
    data.append(Self.end)
    return data
  }

  /// Reads such a file, which may be anybody's; nil for anything that podget does not write.
  package init?(_ data: Data) {
    guard let newline = data.firstIndex(of: 0x0A),
      let head = try? JSONDecoder().decode(Head.self, from: data[..<newline]),
      head.version == Self.version, head.original.isSound, head.tagged.isSound
    else { return nil }
    var rest = data[(newline + 1)...]
    func number() -> Int64? {
      guard rest.count >= 8 else { return nil }
      defer { rest = rest.dropFirst(8) }
      return Int64(exactly: rest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
    var replaced = ReplacedBytes()
    while let kind = rest.popFirst() {
      switch kind {
      case Self.copy:
        guard let offset = number(), let count = number(),
          replaced.take(.copy(offset: offset, count: count))
        else { return nil }
      case Self.bytes:
        guard let count = number(), count <= rest.count,
          replaced.take(.bytes(Data(rest.prefix(Int(count)))))
        else { return nil }
        rest = rest.dropFirst(Int(count))
      case Self.end:
        guard rest.isEmpty else { return nil }
        self.init(
          key: head.key, folder: head.folder, file: head.file, original: head.original,
          tagged: head.tagged, replaced: replaced)
        return
      default: return nil
      }
    }
    return nil
  }

  private static func bigEndian(_ number: Int64) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }
}

extension KeptOriginal.Version {
  /// Whether a file can be so.
  fileprivate var isSound: Bool {
    bytes >= 0 && bytes <= AudioStructure.longestFile && sha256.utf8.count == 64
      && sha256.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}

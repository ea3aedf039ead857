internal import CFiles
import Glibc
import PodcastModel
import PodcastTransfer

/// All visible names of a folder with their inodes, as a count and a sum: who knows which file came
/// and which went can tell whether that was all, without looking for each file.
struct FolderNames: Sendable, Hashable, Codable {
  private(set) var count: Int64 = 0
  private(set) var sum: Int64 = 0

  mutating func add(_ name: UnsafeBufferPointer<UInt8>, _ inode: UInt64) {
    count &+= 1
    sum &+= Self.number(name, inode)
  }

  mutating func add(_ file: EntryName, _ inode: UInt64) {
    var text = file.text
    text.withUTF8 { add($0, inode) }
  }

  mutating func remove(_ file: EntryName, _ inode: UInt64) {
    var text = file.text
    count &-= 1
    text.withUTF8 { sum &-= Self.number($0, inode) }
  }

  /// Mixed, so that sums of different names are different.
  private static func number(_ name: UnsafeBufferPointer<UInt8>, _ inode: UInt64) -> Int64 {
    var number = HashNumber.ofMany(UnsafeRawBufferPointer(name)) ^ (inode &* 0x9E37_79B9_7F4A_7C15)
    number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
    number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int64(bitPattern: number ^ (number >> 31))
  }
}

/// What a folder has besides the content of its files, from one pass over its names.
struct FolderListing: Sendable {
  private(set) var names = FolderNames()
  /// The names of the folders in it; links to folders are left out.
  private(set) var subfolders: [String] = []
  /// Whether there is a conflict copy of its record.
  private(set) var hasCopies = false
  /// Whether it has links.
  private(set) var hasLinks = false
  /// Whether one of the files looked for is there in another Unicode form.
  private(set) var hasOtherForms = false

  /// Lists a folder.
  ///
  /// - Parameter files: names to look for in other Unicode forms.
  init(_ folder: OpenFile, lookingFor files: [EntryName] = []) throws(DiskError) {
    let texts = Set(files.map(\.text))
    // Most names are those of other episodes, and differ at their beginnings.
    let starts = files.map { Self.start(of: $0) }
    let length = starts.map(\.count).min() ?? 0
    let beginnings = Set(starts.map { $0.withUnsafeBufferPointer { Self.hash($0, length) } })
    func isWanted(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
      name.count >= length && beginnings.contains(Self.hash(name, length))
        && name.contains { $0 >= 0x80 }
    }
    try folder.forEachName { name, inode, kind in
      if name.first == UInt8(ascii: ".") {
        // A record is no name of interest; a copy of one is.
        if !hasCopies { hasCopies = FolderRecords.isConflictCopy(Self.text(name)) }
      } else {
        names.add(name, inode)
        if kind == DT_LNK || kind == DT_UNKNOWN { hasLinks = true }
        if !texts.isEmpty, isWanted(name), let found = EntryName(Self.text(name)),
          texts.contains(found.text), !files.contains(found)
        {
          hasOtherForms = true
        }
      }
      // Some file systems do not report the type of an entry.
      guard kind == DT_DIR || kind == DT_UNKNOWN,
        let name = String(validating: name, as: UTF8.self),
        kind == DT_DIR || folder.status(of: name)?.is_folder == true
      else { return }
      subfolders.append(name)
    }
  }

  /// The beginning of a name that any Unicode form of it has: a letter may be one with its accent, and
  /// a few ASCII characters have a second one of the same meaning, such as the sign of the Kelvin.
  private static func start(of name: EntryName) -> [UInt8] {
    Array(name.text.utf8.prefix { $0 < 0x80 && !"K;`".utf8.contains($0) }.dropLast())
  }

  private static func hash(_ name: UnsafeBufferPointer<UInt8>, _ length: Int) -> UInt64 {
    HashNumber.of(UnsafeBufferPointer(rebasing: name.prefix(length)))
  }

  private static func text(_ name: UnsafeBufferPointer<UInt8>) -> String {
    String(decoding: name, as: UTF8.self)
  }
}

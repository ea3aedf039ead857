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

  mutating func add(_ others: FolderNames) {
    count &+= others.count
    sum &+= others.sum
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
  /// The places of some entries, each of them as many names behind the one before.
  private var places: [Int64] = []
  /// Whether it ends where it should, and not behind the last entry.
  private var isPart = false

  /// How many names are between two places.
  private static var step: Int64 { 4096 }

  /// The place in the middle of a large folder, from which a second processor can list it.
  var middle: Int64? { places.count < 8 ? nil : places[places.count / 2] }

  /// Lists a folder.
  ///
  /// - Parameters:
  ///   - files: names to look for in other Unicode forms.
  ///   - middle: where an earlier listing had its middle. The kernel takes half a microsecond for each
  ///     name, so two processors list a large folder in half the time.
  init(
    _ folder: OpenFile, lookingFor files: [EntryName] = [], middle: Int64? = nil
  ) throws(DiskError) {
    guard let middle, middle > 0, Processors.count > 1 else {
      self = try Self(folder, files, from: 0, until: nil)
      return
    }
    let halves = Processors.shares(of: 2, fewest: 1) { half in
      Result { () throws(DiskError) in
        half.lowerBound == 0
          ? try Self(folder, files, from: 0, until: middle)
          : try Self(folder, files, from: middle, until: nil)
      }
    }
    self = try halves[0].get()
    // There may be no entry at that place any more. Then the first half has all of them.
    guard isPart else { return }
    add(try halves[1].get())
  }

  private mutating func add(_ half: FolderListing) {
    names.add(half.names)
    subfolders += half.subfolders
    hasCopies = hasCopies || half.hasCopies
    hasLinks = hasLinks || half.hasLinks
    hasOtherForms = hasOtherForms || half.hasOtherForms
    places += half.places
    isPart = false
  }

  private init(
    _ folder: OpenFile, _ files: [EntryName], from place: Int64, until end: Int64?
  ) throws(DiskError) {
    let texts = Set(files.map(\.text))
    // Most names are those of other episodes, and differ at their beginnings.
    let starts = files.map { Self.start(of: $0) }
    let length = starts.map(\.count).min() ?? 0
    let beginnings = Set(starts.map { $0.withUnsafeBufferPointer { Self.hash($0, length) } })
    func isWanted(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
      name.count >= length && beginnings.contains(Self.hash(name, length))
        && name.contains { $0 >= 0x80 }
    }
    isPart = try folder.forEachName(from: place, until: end) { name, inode, kind, next in
      if name.first == UInt8(ascii: ".") {
        // A record is no name of interest; a copy of one is.
        if !hasCopies { hasCopies = FolderRecords.isConflictCopy(Self.text(name)) }
      } else {
        names.add(name, inode)
        if names.count % Self.step == 0 { places.append(next) }
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

import FoundationEssentials
import Glibc
import PodcastModel
import PodcastTransfer

/// The folder `.podget/tags`: for each tagged episode what gives back its file as it was.
///
/// The ending of a name says how far podget is, so that a kill at any moment leaves a file with which
/// the next run finishes or undoes the change (``Library/endKilledTags(isCancelled:)``).
struct TagFolder: Sendable {
  /// The moments of a change.
  enum State: String, Sendable, CaseIterable {
    /// The tagged file is about to get its name.
    case new
    /// The tagged file is recorded.
    case undo
    /// The original is about to get its name back.
    case back
  }

  /// The folder's name in `.podget`.
  static let name = "tags"
  private static let unfinished = "tmp"
  private static let begun = "copy"
  private static let longestPath: Int64 = 1 << 16

  let folder: OpenFile

  /// Opens it; nil when there is none, and none is to be created.
  init?(of library: Library, creating: Bool) throws(DiskError) {
    guard let folder = try library.ownFolder(named: Self.name, creating: creating) else {
      return nil
    }
    self.folder = folder
  }

  /// What is kept of an episode; nil if there is nothing.
  ///
  /// - Throws: EBADMSG for what podget has not written.
  func kept(_ key: EpisodeKey, _ state: State) throws(DiskError) -> KeptOriginal? {
    do throws(DiskError) {
      let data = try OpenFile.ownContents(
        name(key, state), in: folder, limit: KeptOriginal.largest)
      guard let kept = KeptOriginal(data), kept.key == key else {
        throw DiskError(
          EBADMSG, "use", ".podget/\(Self.name)/\(name(key, state))", reason: "it is damaged")
      }
      return kept
    } catch {
      guard error.number == ENOENT else { throw error }
      return nil
    }
  }

  /// Whether something is kept of an episode.
  func has(_ key: EpisodeKey, _ state: State) -> Bool {
    folder.status(of: name(key, state)) != nil
  }

  /// Notes that a file of an episode is copied in a folder: a kill leaves this, and maybe the copy.
  func begin(_ key: EpisodeKey, in place: RelativePath) throws(DiskError) {
    let name = "\(key.text).\(Self.begun)"
    let file = try OpenFile.writableOwnFile(name, in: folder, flags: O_WRONLY | O_TRUNC)
    try file.writeAll(Data(place.text.utf8), name)
  }

  /// Where a file of an episode was copied when podget was killed; nil if nothing says it.
  func place(ofCopy key: EpisodeKey) -> RelativePath? {
    let data = try? OpenFile.ownContents(
      "\(key.text).\(Self.begun)", in: folder, limit: Self.longestPath)
    return data.flatMap { String(validating: $0, as: UTF8.self) }.flatMap { RelativePath($0) }
  }

  /// Notes that nothing is copied any more.
  func end(_ key: EpisodeKey) { unlinkat(folder.number, "\(key.text).\(Self.begun)", 0) }

  /// Stores it; it is durable when this returns.
  func write(_ kept: KeptOriginal, _ state: State) throws(DiskError) {
    guard let data = kept.data else { throw DiskError(EINVAL, "encode", name(kept.key, state)) }
    let temporary = "\(kept.key.text).\(Self.unfinished)"
    let file = try OpenFile.writableOwnFile(temporary, in: folder, flags: O_WRONLY | O_TRUNC)
    try file.writeAll(data, temporary)
    try file.synchronize(temporary)
    try rename(temporary, name(kept.key, state))
  }

  /// Goes from one moment to the next; that is durable when this returns.
  func move(_ key: EpisodeKey, from old: State, to new: State) throws(DiskError) {
    try rename(name(key, old), name(key, new))
  }

  /// Removes what is kept.
  func remove(_ key: EpisodeKey, _ state: State) { unlinkat(folder.number, name(key, state), 0) }

  /// The episodes whose change is not finished.
  var pending: [(key: EpisodeKey, state: State)] {
    endings.compactMap { key, ending in
      State(rawValue: ending).flatMap { $0 == .undo ? nil : (key, $0) }
    }
  }

  /// The episodes whose file was being copied.
  var copied: [EpisodeKey] { endings.compactMap { $1 == Self.begun ? $0 : nil } }

  private var endings: [(key: EpisodeKey, ending: String)] {
    folder.entries().compactMap { entry in
      let parts = entry.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 2, let key = EpisodeKey(String(parts[0])) else { return nil }
      return (key, String(parts[1]))
    }
  }

  /// Removes files that a killed process has not finished; the episode must be locked.
  func removeUnfinished(_ key: EpisodeKey) {
    unlinkat(folder.number, "\(key.text).\(Self.unfinished)", 0)
  }

  private func name(_ key: EpisodeKey, _ state: State) -> String {
    "\(key.text).\(state.rawValue)"
  }

  private func rename(_ old: String, _ new: String) throws(DiskError) {
    _ = try retryingInterrupts("rename", old) {
      renameat(folder.number, old, folder.number, new)
    }
    try folder.synchronize(".podget/\(Self.name)")
  }
}

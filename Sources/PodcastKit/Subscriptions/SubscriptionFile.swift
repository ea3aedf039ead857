internal import CFiles
import FoundationEssentials
import Glibc
package import PodcastLibrary
package import PodcastModel
import PodcastTransfer

/// The file with a library's subscriptions, `.podget/subscriptions.opml`: what it says counts.
///
/// It is replaced in one step: a reader sees the old or the new one, and a killed process or a full
/// disk leaves the old one. Changes of several processes are made one after the other. A file that
/// cannot be read is never replaced.
package struct SubscriptionFile: Sendable {
  /// The file's name in `.podget`.
  package static let name = "subscriptions.opml"
  private static let maximumBytes: Int64 = 64 << 20

  private let library: Library
  private let warn: @Sendable (String) -> Void

  /// The file of a library.
  ///
  /// - Parameter warn: gets a sentence about each thing in the file that has no effect, at each
  ///   reading.
  package init(_ library: Library, warn: @escaping @Sendable (String) -> Void = { _ in }) {
    self.library = library
    self.warn = warn
  }

  /// The path for messages.
  package var path: String { "\(library.path)/.podget/\(Self.name)" }

  /// Whether there is a file; a disk that is not mounted has none.
  package var isThere: Bool {
    ((try? library.ownFolder(creating: false)) ?? nil)?.status(of: Self.name) != nil
  }

  /// Reads the subscriptions; a library without the file follows nothing. It blocks on the disk.
  ///
  /// - Throws: a ``PodgetError`` with the code `decoding`, which names line and column, or `disk`.
  package func read() throws(PodgetError) -> SubscriptionList { try readTrusted().list }

  /// Reads the subscriptions, and whether only this user and root can have written them: commands in
  /// them may be run then.
  ///
  /// - Throws: the same as ``read()``.
  package func readTrusted() throws(PodgetError) -> (list: SubscriptionList, isOwn: Bool) {
    try readTrusted(keptIn: SubscriptionMemory())
  }

  /// The same in a run of rounds.
  ///
  /// - Parameter memory: keeps the list for the next call, which then reads the file only if it has
  ///   changed.
  func readTrusted(
    keptIn memory: SubscriptionMemory
  ) throws(PodgetError) -> (list: SubscriptionList, isOwn: Bool) {
    let folder: OpenFile
    do throws(DiskError) {
      guard let found = try library.ownFolder(creating: false) else {
        memory.look(at: nil)
        return (SubscriptionList(), false)
      }
      folder = found
    } catch {
      throw unusable(error)
    }
    // The status comes before the content: a change between them is seen the next time.
    let status = folder.status(of: Self.name)
    memory.look(at: status)
    if let kept = memory.list(at: status) { return kept }
    let read = try Self.list(in: folder, path)
    memory.keep(read, at: status)
    read.list.warnings.forEach(warn)
    return read
  }

  /// An error of the folder that the file is in, with the library's path.
  private func unusable(_ error: DiskError) -> PodgetError {
    error.at(error.operation, "\(library.path)/\(error.path)").podgetError
  }

  /// Changes the subscriptions. It blocks on the disk, and waits for other processes that change
  /// them.
  ///
  /// - Parameter change: changes the list as it is on the disk now; an error changes nothing.
  /// - Returns: the list afterwards.
  /// - Throws: a ``PodgetError``: that of `change`, or one of reading or writing.
  @discardableResult
  package func update(
    _ change: (inout SubscriptionList) throws(PodgetError) -> Void
  ) throws(PodgetError) -> SubscriptionList {
    let folder: OpenFile
    let lock: OpenFile
    do throws(DiskError) {
      guard let found = try library.ownFolder(creating: true) else {
        throw DiskError(ENOENT, "open", ".podget")
      }
      folder = found
      // A file of its own, because the other one is replaced.
      lock = try OpenFile.writableOwnFile("\(Self.name).lock", in: folder, flags: O_RDWR)
      try lock.waitForLock("\(Self.name).lock") { Task.isCancelled }
    } catch {
      throw error.podgetError
    }
    defer { flock(lock.number, LOCK_UN) }
    var list = try Self.list(in: folder, path).list
    list.warnings.forEach(warn)
    let (before, followed, hadCommands) = (list.bytes, list.subscriptions, list.hasCommands)
    try change(&list)
    let bytes = list.bytes
    guard bytes != before else { return list }
    // Nothing could read it again.
    guard bytes.count <= Self.maximumBytes else {
      throw PodgetError(
        .disk,
        "The list of subscriptions would have more than \(Self.maximumBytes >> 20) MiB. Nothing "
          + "was changed.")
    }
    library.noteMoves(from: followed, to: list.subscriptions)
    do throws(DiskError) {
      try Self.replace(
        with: Data(bytes), in: folder,
        hasCommands: hadCommands || list.hasCommands)
    } catch {
      throw error.podgetError
    }
    // What was listed when a podcast was followed before is not new of it now.
    ListedStore(library).forget(
      Set(list.subscriptions.map(\.firstURL)).subtracting(followed.map(\.firstURL)))
    return list
  }

  private static func list(
    in folder: OpenFile, _ path: String
  ) throws(PodgetError) -> (list: SubscriptionList, isOwn: Bool) {
    let data: Data
    let isOwn: Bool
    do throws(DiskError) {
      let file = try OpenFile.ownFile(name, in: folder, limit: maximumBytes)
      // Of the file that is read: another one may have the name the next moment.
      isOwn =
        file.status.map { status in
          (status.owner == geteuid() || status.owner == 0) && status.permissions & 0o022 == 0
        } ?? false
      data = try file.readAll(name, limit: maximumBytes)
    } catch {
      guard error.number != ENOENT else { return (SubscriptionList(), false) }
      throw error.at("read", path).podgetError
    }
    return (try SubscriptionList(Array(data), name: path), isOwn)
  }

  /// Replaces the file. It keeps its owner, or has no commands: those that another user wrote would be run
  /// as the new owner's.
  private static func replace(
    with data: Data, in folder: OpenFile, hasCommands: Bool
  ) throws(DiskError) {
    do throws(DiskError) {
      // A running process would have the lock.
      try OpenFile.replaceOwnFile(name, in: folder, with: data, temporary: "\(name).new") {
        file throws(DiskError) in
        // A file whose mode its owner has changed keeps it.
        guard let before = folder.status(of: name) else { return }
        fchmod(file.number, before.permissions & 0o777)
        if let old = try? OpenFile.ownFile(name, in: folder, limit: maximumBytes) {
          file.takeOwner(of: old)
        }
        guard !hasCommands || file.status?.owner == before.owner || before.owner == 0 else {
          throw DiskError(
            EPERM, "replace", name,
            reason:
              "it belongs to another user and has password commands, which would be run as yours")
        }
      }
    } catch {
      throw error.at(error.operation, ".podget/\(name)")
    }
    try folder.synchronize(".podget")
  }
}

extension Library {
  /// Notes the new addresses of podcasts of which a person has said something: what was said stays
  /// true after a move. If that cannot be written, only what was said is lost for the new address.
  fileprivate func noteMoves(from before: [Subscription], to after: [Subscription]) {
    guard let facts = try? podcastFacts(), !facts.isEmpty else { return }
    let earlier = Dictionary(before.map { ($0.name, $0.podcast) }) { first, _ in first }
    let moved = after.compactMap { subscription -> PodcastFact? in
      guard let old = earlier[subscription.name],
        old.feedURL != subscription.podcast.feedURL,
        let key = facts.keys(of: old).first
      else { return nil }
      return PodcastFact(key, names: [old, subscription.podcast])
    }
    try? say(moved, after: facts)
  }
}

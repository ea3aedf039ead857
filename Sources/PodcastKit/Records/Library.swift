internal import CFiles
public import FoundationEssentials
import Glibc

/// A folder that holds everything: podcasts with their records, and unfinished downloads.
///
/// It keeps no state of its own in memory: every question is answered from the disk.
public struct Library: Sendable {
  /// The folder's path, for messages.
  public let path: String
  let root: FileDescriptor

  /// Opens the library, making its folder when `creating`.
  ///
  /// - Returns: nil when there is no such folder and none was to be made.
  /// - Throws: a ``PodgetError`` with the code `disk` when the path is no folder or may not be read.
  public static func open(_ path: String, creating: Bool) throws(PodgetError) -> Library? {
    do throws(DiskError) {
      return Library(path: path, root: try FileDescriptor.folder(path, creating: creating))
    } catch {
      if error.number == ENOENT, !creating { return nil }
      throw PodgetError(
        error.isFull ? .diskFull : .disk,
        "Cannot open the library \(path): \(String(cString: strerror(error.number))).")
    }
  }

  /// A library without anything in it, for telling what would be done where no folder is yet.
  public static func absent(_ path: String) throws(PodgetError) -> Library {
    // A folder that was removed while open stays empty for ever.
    var name = Array("/tmp/podget-XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil,
      let root = try? FileDescriptor.folder(
        String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self),
        creating: false)
    else { throw PodgetError(.disk, "Cannot work below /tmp.") }
    rmdir(name)
    return Library(path: path, root: root)
  }

  /// Every local episode: those on record, complete or missing, then those that are partial.
  public func episodes() -> [LocalEpisode] {
    var found: [LocalEpisode] = []
    collect(root, at: "", into: &found)
    // The same episode may stand in two folders or lines; what is on the disk counts most.
    var places: [String: Int] = [:]
    var unique: [LocalEpisode] = []
    for episode in found {
      if let place = places[episode.plan.key] {
        let replaces = episode.status == .complete || unique[place].status == .missing
        if replaces { unique[place] = episode }
      } else {
        places[episode.plan.key] = unique.count
        unique.append(episode)
      }
    }
    for partial in partials() where partial.bytes > 0 {
      if let place = places[partial.plan.key] {
        if unique[place].status == .missing { unique[place] = partial }
      } else {
        unique.append(partial)
      }
    }
    return unique
  }

  /// The unfinished downloads, begun or not, newest episodes first.
  public func unfinished() -> [UnfinishedDownload] {
    guard let folder = existingPartialFolder() else { return [] }
    let found = folder.all().map {
      UnfinishedDownload(plan: $0.plan, failure: $0.failure, state: $0.state)
    }
    return found.sorted {
      ($0.plan.episode.date ?? .distantPast) > ($1.plan.episode.date ?? .distantPast)
    }
  }

  /// The episode of a plan, when it is on record in the plan's folder now.
  func recorded(_ plan: DownloadPlan) -> LocalEpisode? {
    guard let folder = try? FileDescriptor.folder(plan.folder, in: root, creating: false),
      FolderRecords.mentions(plan.key, in: folder)
    else { return nil }
    return FolderRecords.read(in: folder)
      .last { $0.key == plan.key && $0.fact == FolderFact.Kind.finished.rawValue }
      .flatMap { LocalEpisode($0, in: folder, at: plan.folder) }
  }

  /// The names that are not free in a folder of the library and those planned for it.
  public func takenNames(for podcastFolders: Set<String>) -> TakenNames {
    var taken = TakenNames()
    for path in podcastFolders {
      guard let folder = try? FileDescriptor.folder(path, in: root, creating: false) else {
        continue
      }
      var owners: [String: String] = [:]
      for fact in FolderRecords.read(in: folder) {
        if let file = fact.file, let key = fact.key { owners[file] = key }
      }
      for name in folder.entries() where !name.hasPrefix(".") {
        taken.add(folder: path, name: name, owner: owners.removeValue(forKey: name))
      }
      // A recorded file that is gone keeps its name for the same episode.
      for (name, key) in owners { taken.add(folder: path, name: name, owner: key) }
    }
    for unfinished in unfinished() {
      let plan = unfinished.plan
      taken.add(folder: plan.folder, stem: plan.stem, owner: plan.key)
    }
    return taken
  }
}

extension Library {
  private func existingPartialFolder() -> PartialFolder? {
    guard
      let folder = try? FileDescriptor.folder(".podget/partial", in: root, creating: false)
    else { return nil }
    return PartialFolder(folder: folder)
  }

  private func partials() -> [LocalEpisode] {
    guard let folder = existingPartialFolder() else { return [] }
    return folder.all().map { record in
      LocalEpisode(
        plan: record.plan, path: record.plan.path, status: .partial,
        bytes: folder.partSize(record.key) ?? 0, total: record.state?.total)
    }
  }

  private func collect(_ folder: FileDescriptor, at path: String, into found: inout [LocalEpisode])
  {
    for fact in FolderRecords.read(in: folder) {
      if let episode = LocalEpisode(fact, in: folder, at: path) { found.append(episode) }
    }
    for name in folder.entries() where !name.hasPrefix(".") {
      // Opening says whether it is a folder; links are not followed, so a loop cannot occur.
      guard
        let child = try? FileDescriptor.open(
          name, in: folder, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
      else { continue }
      collect(child, at: path.isEmpty ? name : "\(path)/\(name)", into: &found)
    }
  }
}

/// An episode that the library knows.
public struct LocalEpisode: Sendable, Hashable {
  /// What lies on the disk; the raw values are the contract with scripts.
  public enum Status: String, Sendable, Hashable, CaseIterable {
    /// The whole file.
    case complete
    /// Some of its bytes, which `resume` continues.
    case partial
    /// Nothing: the file was there and is gone.
    case missing
  }

  /// The episode with its podcast and its key.
  public var plan: DownloadPlan
  /// The file's path relative to the library; of a partial one the planned path.
  public var path: String
  /// What lies on the disk.
  public var status: Status
  /// How many bytes lie on the disk.
  public var bytes: Int64
  /// How many bytes the whole has, when it is known.
  public var total: Int64?
  /// When it was finished (UTC).
  public var downloadedAt: Date?
  /// The SHA-256 at that time in lower-case hex, when it was computed.
  public var sha256: String?
}

extension LocalEpisode {
  fileprivate init?(_ fact: FolderFact, in folder: FileDescriptor, at path: String) {
    guard fact.fact == FolderFact.Kind.finished.rawValue, let key = fact.key,
      let episode = fact.episode, let file = fact.file, !file.contains("/")
    else { return nil }
    let stem = FileName.stem(of: file)
    let found = folder.status(of: file).flatMap { $0.is_regular ? $0 : nil }
    self.init(
      plan: DownloadPlan(
        key: key, podcast: fact.podcast.podcast, episode: episode.episode, folder: path,
        stem: stem, announcedExtension: String(file.dropFirst(stem.count + 1))),
      path: path.isEmpty ? file : "\(path)/\(file)", status: found == nil ? .missing : .complete,
      bytes: found?.size ?? 0, total: fact.bytes,
      downloadedAt: fact.downloadedAt.flatMap { Date(timestamp: $0) }, sha256: fact.sha256)
  }
}

/// A download that was planned and is not finished.
public struct UnfinishedDownload: Sendable {
  /// What was planned.
  public var plan: DownloadPlan
  /// Why it failed for good; nil when it was cut, cancelled or never begun.
  public var failure: PodgetError.Code?
  /// What the last accepted answer said.
  public var state: ResumeState?
}

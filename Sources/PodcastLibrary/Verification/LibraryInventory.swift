internal import CFiles
import Glibc
public import PodcastModel
import PodcastTransfer

/// What can be verified: the recorded files, and other files in podcasts' folders.
public struct LibraryInventory: Sendable {
  /// Something on the disk that is not a recorded file.
  public struct Other: Sendable, Hashable {
    /// Its path relative to the library.
    public var path: String
    /// Its length in bytes.
    public var bytes: Int64
    /// The podcast of its folder.
    public var podcast: Podcast
    /// The download that it belongs to; nil for an untracked file.
    public var plan: DownloadPlan?
    /// Why it cannot be read, in a sentence; nil if nothing is wrong.
    public var problem: String?
  }

  /// The files in the records, folder by folder.
  public internal(set) var recorded: [RecordedFile] = []
  /// Files in podcasts' folders that no record names.
  public internal(set) var untracked: [Other] = []
  /// The bytes of partial downloads.
  public internal(set) var partial: [Other] = []

  /// Folders and records that cannot be read: their content is unknown.
  public internal(set) var unreadable: [Other] = []

  /// The total size of the recorded files when they were recorded.
  public var totalBytes: Int64 {
    ByteSum.of(recorded.lazy.map(\.bytes))
  }

  /// The part that belongs to the wanted plans; untracked files if a wanted file is beside them. An
  /// unreadable folder may belong to any.
  public func filtered(_ isWanted: (DownloadPlan) -> Bool) -> LibraryInventory {
    var chosen = self
    chosen.recorded.removeAll { !isWanted($0.plan) }
    chosen.partial.removeAll { $0.plan.map(isWanted) != true }
    let folders = Set(chosen.recorded.map(\.plan.folder))
    chosen.untracked.removeAll { file in
      !folders.contains(LibraryPath.split(file.path).folder)
    }
    return chosen
  }
}

extension Library {
  /// Checks all folders and their records.
  ///
  /// An episode that was removed on purpose has no file and is left out; so is one that is missing
  /// in one folder and exists in another, as after a folder was renamed or copied.
  ///
  /// - Parameter reading: the library as it was read; folders whose disks are missing are from there.
  public func inventory(of reading: LibraryReading) -> LibraryInventory {
    var survey = FolderSurvey()
    survey.collect(root, at: .library)
    survey.collectLinked(root)
    for folder in reading.emptied { survey.note(folder.error.message, at: folder.folder.text) }
    for (path, error) in refusedPlans() { survey.note(error.message, at: path) }
    do throws(DiskError) {
      _ = try PodcastLog.facts(of: root)
    } catch {
      survey.note(error.readingProblem, at: error.path)
    }
    var inventory = LibraryInventory()
    inventory.recorded = survey.files
    inventory.untracked = survey.untracked
    inventory.unreadable = survey.unreadable
    inventory.partial = unfinished().compactMap { unfinished in
      let path = ".podget/partial/\(unfinished.plan.key).part"
      guard let status = root.status(of: path), status.size > 0 else { return nil }
      return LibraryInventory.Other(
        path: path, bytes: status.size, podcast: unfinished.plan.podcast, plan: unfinished.plan)
    }
    return inventory
  }
}

extension Library {
  /// Whether folders have files that may be episodes, and that no record names. It looks at files
  /// until it has found one, which is for libraries without episodes.
  package var hasUntracked: Bool {
    var survey = FolderSurvey()
    survey.stopsAtUntracked = true
    survey.collect(root, at: .library)
    survey.collectLinked(root)
    return !survey.untracked.isEmpty
  }
}

/// A walk through the folders of a library.
private struct FolderSurvey {
  var untracked: [LibraryInventory.Other] = []
  var unreadable: [LibraryInventory.Other] = []
  /// Whether one untracked file is enough.
  var stopsAtUntracked = false
  private var recorded: [RecordedFile] = []
  private var missing: [RecordedFile] = []

  /// The recorded files: those that exist, and those that are nowhere.
  var files: [RecordedFile] {
    var seen = Set(recorded.map(\.plan.key))
    return recorded + missing.filter { seen.insert($0.plan.key).inserted }
  }

  /// Checks the podcasts' folders that are links to others, each once.
  mutating func collectLinked(_ library: OpenFile) {
    var seen: Set<[UInt64]> = []
    for name in ((try? library.links()) ?? []).compactMap(EntryName.init).sorted(by: {
      $0.text < $1.text
    }) {
      guard let path = RelativePath.library.appending(name),
        let folder = try? library.linkedFolder(name.text), let status = folder.status,
        seen.insert([status.device, status.inode]).inserted
      else { continue }
      collect(folder, at: path)
    }
  }

  mutating func collect(_ folder: OpenFile, at path: RelativePath) {
    let facts = facts(in: folder, at: path)
    let contents = FolderContents(facts ?? [], in: folder)
    var known: Set<EntryName> = contents.cover.map { [$0.path] } ?? []
    for entry in contents.entries {
      guard let name = entry.finishedFile, let file = RecordedFile(entry, in: path) else {
        continue
      }
      let isThere = entry.fileStatus(in: folder) != nil
      // What a person has deleted is no loss of the episode.
      let others =
        entry.removedAt != nil && !isThere
        ? []
        : entry.otherFiles.filter {
          folder.mediaStatus(of: $0.path.text)?.is_regular == true
        }
      known.formUnion(others.map(\.path))
      if isThere {
        known.insert(name)
        recorded.append(file)
        recorded += others.map { RecordedFile($0, beside: file) }
      } else if entry.removedAt == nil {
        missing.append(file)
      }
    }
    let recorded = (contents.podcast ?? contents.entries.first?.podcast)?.podcast
    // A folder with a record is that of a podcast, whatever is left of the record.
    let podcast =
      recorded
      ?? (folder.status(of: FolderRecords.name) == nil ? nil : Self.podcast(at: path.text))
    // Where the record cannot be read, nobody knows which files it names.
    for name in facts == nil ? [] : folder.unreadableEntries() {
      let below = LibraryPath.join(path.text, name)
      if let podcast {
        untracked.append(LibraryInventory.Other(path: below, bytes: 0, podcast: podcast))
      }
    }
    // What a layout for media servers has is of podget, like the record.
    let names = folder.entries().compactMap(EntryName.init)
    if podcast != nil { known.formUnion(folder.sidecars(among: names)) }
    for name in names
    where !known.contains(name) && !FoundFiles.isHidden(name.text) {
      if stopsAtUntracked, !untracked.isEmpty { return }
      guard let below = path.appending(name) else {
        note("It is nested too deep or its name is too long.", at: path.text)
        continue
      }
      let name = name.text
      do throws(DiskError) {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
        collect(try OpenFile.open(name, in: folder, flags: flags), at: below)
      } catch {
        guard error.number == ENOTDIR || error.number == ELOOP else {
          note(error.readingProblem, at: below.text)
          continue
        }
        // Where no record names an episode, only media files can be those of episodes.
        guard facts != nil, recorded != nil || FoundFiles.isMedia(name, in: folder),
          let status = folder.status(of: name)
        else { continue }
        untracked.append(
          LibraryInventory.Other(
            path: below.text, bytes: status.size, podcast: podcast ?? Self.podcast(at: path.text)))
      }
    }
  }

  private mutating func facts(
    in folder: OpenFile, at path: RelativePath
  ) -> [FolderFact]? {
    let place = LibraryPath.join(path.text, FolderRecords.name)
    do throws(DiskError) {
      let reading = try FolderRecords.log(in: folder).reading()
      if let refusal = reading.refusal { note("Some of it is ignored: \(refusal).", at: place) }
      return reading.lines
    } catch {
      note(error.readingProblem, at: place)
      return nil
    }
  }

  mutating func note(_ problem: String, at path: String) {
    unreadable.append(
      LibraryInventory.Other(
        path: path, bytes: 0, podcast: Self.podcast(at: path), problem: problem))
  }

  /// The podcast of a folder without one in its record, by the folder's name.
  private static func podcast(at path: String) -> Podcast {
    Podcast(title: LibraryPath.parts(path).first ?? "")
  }
}

extension DiskError {
  /// Why something cannot be read, in a sentence without its name.
  var readingProblem: String { "It cannot be read: \(explanation)." }
}

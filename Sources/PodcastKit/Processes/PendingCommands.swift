internal import CFiles
import FoundationEssentials
import Glibc
package import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// A downloaded episode, as commands are told of it.
package struct FinishedDownload: Sendable, Hashable, Codable {
  /// The path of its file in the library.
  package var path: String
  /// The title of the episode.
  package var title: String
  /// The title of the podcast.
  package var podcast: String
  /// Its date as `YYYY-MM-DDTHH:MM:SSZ`; empty if it has none.
  package var date: String
  /// Apple's id, else the guid; empty without both.
  package var id: String
  /// The size of the file in bytes.
  package var bytes: Int64
  /// The SHA-256 of the file; empty if it was not computed.
  package var sha256: String
  /// The names of the commands that have ended for it; nil for none.
  package var endedCommands: [String]?
  /// The names of the commands that were to run for it and have not ended; nil if that is not known.
  package var waitingCommands: [String]?

  /// Whether a command is to run for it.
  package func waits(for command: String) -> Bool {
    endedCommands?.contains(command) != true && waitingCommands?.contains(command) != false
  }

  /// Describes the end of a download; nil if it is another event.
  package init?(_ event: DownloadEvent) {
    guard case .finished(let file) = event.kind else { return nil }
    let episode = event.plan.episode
    path = file.path
    title = episode.title
    podcast = event.plan.podcast.shownTitle
    date = episode.date?.timestamp ?? ""
    id = episode.id.map { String($0) } ?? episode.guid ?? ""
    bytes = file.bytes
    sha256 = file.sha256 ?? ""
  }
}

/// The downloads whose commands did not run because podget was stopped, in `.podget/commands.ndjson`: the
/// next run makes up for it. Each line is one download. Who takes one blanks its line, so that a kill
/// loses no other.
package struct PendingCommands: Sendable {
  /// The file's name in `.podget`.
  package static let name = "commands.ndjson"
  private static let maximumBytes: Int64 = 16 << 20

  private let library: Library

  /// The file of a library.
  package init(_ library: Library) { self.library = library }

  /// Adds downloads. It blocks on the disk.
  ///
  /// - Throws: a ``PodgetError`` with the code `disk`.
  package func add(_ downloads: [FinishedDownload]) throws(PodgetError) {
    var text = Data()
    for download in downloads {
      guard let line = try? JSONEncoder().encode(download) else { continue }
      text.append(line)
      text.append(0x0A)
    }
    do throws(DiskError) {
      guard let file = try open(creating: true) else { return }
      let size = file.status?.size ?? 0
      guard size + Int64(text.count) <= Self.maximumBytes else {
        throw OpenFile.tooLarge(Self.name, Self.maximumBytes)
      }
      do throws(DiskError) {
        try file.writeAll(text, Self.name)
      } catch {
        // The next line must not continue half of one.
        ftruncate(file.number, off_t(size))
        throw error
      }
      try file.synchronize(Self.name)
    } catch {
      throw error.at(error.operation, ".podget/\(Self.name)").podgetError
    }
  }

  /// Takes the first download whose file is still there and that one of some commands is to run for. It
  /// blocks on the disk.
  ///
  /// - Parameter commands: the names of the commands.
  /// - Returns: nil if there is none.
  /// - Throws: a ``PodgetError`` with the code `disk`.
  package func take(for commands: [String]) throws(PodgetError) -> FinishedDownload? {
    do throws(DiskError) {
      guard let file = try open(creating: false) else { return nil }
      let data = try file.readAll(Self.name, limit: Self.maximumBytes)
      var isNeeded = false
      for line in data.split(separator: 0x0A) {
        guard let download = download(line) else { continue }
        guard commands.contains(where: download.waits) else {
          isNeeded = true
          continue
        }
        try blank(file, line.indices)
        return download
      }
      if !data.isEmpty, !isNeeded, ftruncate(file.number, 0) != 0 {
        throw DiskError(errno, "empty", Self.name)
      }
    } catch {
      throw error.at(error.operation, ".podget/\(Self.name)").podgetError
    }
    return nil
  }

  private func download(_ line: Data) -> FinishedDownload? {
    guard let download = try? JSONDecoder().decode(FinishedDownload.self, from: Data(line)),
      let path = RelativePath(download.path), access("\(library.path)/\(path.text)", F_OK) == 0
    else { return nil }
    return download
  }

  /// Replaces a line by empty ones.
  private func blank(_ file: OpenFile, _ line: Range<Int>) throws(DiskError) {
    guard lseek(file.number, off_t(line.lowerBound), SEEK_SET) >= 0 else {
      throw DiskError(errno, "write", Self.name)
    }
    try file.writeAll(Data(repeating: 0x0A, count: line.count), Self.name)
  }

  /// The file, locked until it is closed; nil if there is none.
  private func open(creating: Bool) throws(DiskError) -> OpenFile? {
    guard let folder = try library.ownFolder(creating: creating),
      creating || folder.status(of: Self.name) != nil
    else { return nil }
    let file = try OpenFile.writableOwnFile(Self.name, in: folder, flags: O_RDWR)
    // Others hold it for a moment, unless they are stopped.
    let patience = ContinuousClock.now + .seconds(1)
    try file.waitForLock(Self.name) { .now > patience }
    guard lseek(file.number, 0, SEEK_END) >= 0 else {
      throw DiskError(errno, "write", Self.name)
    }
    return file
  }
}

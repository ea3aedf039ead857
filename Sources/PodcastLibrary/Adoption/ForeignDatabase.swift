internal import CFiles
import FoundationEssentials
import Glibc
package import PodcastModel
import PodcastTransfer

/// What the database of another program says of the files that it downloaded: that of gPodder, or one
/// that AntennaPod has exported.
///
/// It may come from anywhere. It is never written, of its tables only ordinary ones are read, and values
/// of any type and size are expected.
package struct ForeignDatabase: Sendable {
  /// What it says of one file.
  private struct Told: Sendable {
    var sidecar: Sidecar
    var marks: [EpisodeMark]
  }

  private static let largestFile: Int64 = 4 << 30
  private static let mostRows = 1_000_000
  /// The state of an episode whose file gPodder has. The name of a file that it has deleted stays in the
  /// database, and another episode may have it by now.
  private static let downloadedByGPodder: Int64 = 1

  /// What it says of files, by their folders and names.
  private let told: [String: Told]
  /// The addresses of the feeds that have files, each once.
  package let feeds: [String]

  /// Reads a database; it blocks on the disk.
  ///
  /// - Throws: a ``PodgetError``: `notFound` when there is no such file, `decoding` when it is none of
  ///   these databases or is damaged, `disk` when it cannot be read or is in use.
  package init(_ path: String) throws(PodgetError) {
    do throws(DiskError) {
      _ = try OpenFile.ownFile(path, limit: Self.largestFile, followsLinks: true)
      // What is not in the database yet would be missing.
      for ending in ["-wal", "-journal"] {
        guard let file = try? OpenFile.ownFile(path + ending, limit: .max), file.status?.size != 0
        else { continue }
        throw DiskError(
          EBUSY, "read", path, reason: "a program is using it, or was killed; end it properly first"
        )
      }
    } catch {
      if error.number == ENOENT { throw PodgetError(.notFound, "There is no file \(path).") }
      throw error.podgetError
    }
    var rows: [(place: String, feed: String, told: Told)] = []
    do {
      let db = try SQLiteConnection(reading: path)
      guard let query = try Self.query(db) else { throw LibraryDatabase.Failure.damaged }
      let found = try IndexRows(db, query)
      while var columns = try found.next() {
        if let row = Self.row(&columns) { rows.append(row) }
      }
    } catch {
      throw PodgetError(
        .decoding, "\(path) is no database of gPodder or AntennaPod, or it is damaged.")
    }
    // Of two with the same name nothing is known.
    told = Dictionary(grouping: rows, by: \.place).compactMapValues {
      $0.count == 1 ? $0[0].told : nil
    }
    var seen: Set<String> = []
    feeds = rows.map(\.feed).filter { WebAddress($0) != nil && seen.insert($0).inserted }
  }

  /// Adds to each file what the database says of it. What is beside the file says more.
  package func describe(_ found: inout [(path: String, result: FoundFiles.Result)]) {
    for place in found.indices {
      // A name alone, such as audio.mp3, may be that of any show.
      guard case .success(var file) = found[place].result,
        let told = told[LibraryPath.parts(file.path).suffix(2).joined(separator: "/")]
      else { continue }
      file.sidecar = file.sidecar ?? told.sidecar
      file.marks = told.marks
      found[place].result = .success(file)
    }
  }
}

extension ForeignDatabase {
  /// What is read of the tables that the database has; nil if it has not those of a known program.
  private static func query(_ db: SQLiteConnection) throws -> SQLQuery? {
    func hasTables(_ names: String...) throws -> Bool {
      // A view or a virtual table may compute anything.
      try db.integer(
        """
        SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND rootpage > 0
          AND name COLLATE NOCASE IN \(list: names.map { .text($0) })
        """) == Int64(names.count)
    }
    if try hasTables("podcast", "episode") {
      return """
        SELECT podcast.title, podcast.url, podcast.download_folder, episode.download_filename,
          episode.title, episode.url, episode.guid, episode.published, episode.is_new = 0,
          episode.archive, episode.current_position
        FROM episode JOIN podcast ON podcast.id = episode.podcast_id
        WHERE episode.download_filename <> '' AND episode.state = \(downloadedByGPodder)
        LIMIT \(mostRows)
        """
    }
    guard try hasTables("Feeds", "FeedItems", "FeedMedia") else { return nil }
    let isFavorite: SQLQuery =
      try hasTables("Favorites")
      ? "FeedItems.id IN (SELECT feeditem FROM Favorites LIMIT \(mostRows))" : "0"
    return """
      SELECT Feeds.title, Feeds.download_url, NULL, FeedMedia.file_url, FeedItems.title,
        FeedMedia.download_url, FeedItems.item_identifier, FeedItems.pubDate / 1000,
        FeedItems.read = 1, \(isFavorite), FeedMedia.position / 1000
      FROM FeedMedia JOIN FeedItems ON FeedItems.id = FeedMedia.feeditem
        JOIN Feeds ON Feeds.id = FeedItems.feed
      WHERE FeedMedia.file_url <> '' AND FeedMedia.downloaded <> 0 LIMIT \(mostRows)
      """
  }

  private static func row(
    _ columns: inout RowColumns
  ) -> (place: String, feed: String, told: Told)? {
    func text() -> String? {
      columns.optionalText().flatMap {
        $0.isEmpty ? nil : $0.prefix(maximumBytes: 4096).limitingCombiningMarks
      }
    }
    let (podcast, feed, folder, path) = (text(), text(), text(), text())
    var sidecar = Sidecar()
    sidecar.podcast = podcast
    sidecar.title = text()
    sidecar.enclosure = text()
    sidecar.addresses = [sidecar.enclosure].compactMap(\.self)
    sidecar.guids = [text()].compactMap(\.self)
    // 0 is no date.
    sidecar.date = columns.optionalDate().flatMap { $0.timeIntervalSince1970 == 0 ? nil : $0 }
    sidecar.day = sidecar.date.map { CivilDay($0) }
    let (isPlayed, isStarred) = (
      columns.optionalInteger() == 1, columns.optionalInteger() ?? 0 != 0
    )
    let position = EpisodeMarks.position(columns.optionalInteger())
    guard var path else { return nil }
    if path.hasPrefix("file://") { path = PercentEncoding.decoded(path.dropFirst(7)) }
    let parts = LibraryPath.parts((folder.map { "\($0)/" } ?? "") + path)
    guard parts.count > 1 else { return nil }
    var marks: [EpisodeMark] = []
    if isStarred { marks.append(.starred(true)) }
    if isPlayed {
      marks.append(.played(true))
    } else if let position {
      marks.append(.position(position))
    }
    return (
      parts.suffix(2).joined(separator: "/"), feed ?? "", Told(sidecar: sidecar, marks: marks)
    )
  }
}

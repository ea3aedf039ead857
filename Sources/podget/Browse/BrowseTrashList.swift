import BrowseScreen
import FoundationEssentials
import PodcastBrowse
import PodcastKit

/// The trash: what `podget trash` lists, and what becomes of it.
extension BrowseEngine {
  /// Reads it, and again with each reading of the library.
  func loadTrash() async {
    trashed = trashed ?? [:]
    await loadLibrary()
    let library = library
    if let sentence = await disk.perform({ library.absentTrash(at: Date()) }) {
      send(.message(sentence))
    }
  }

  /// Sends what is in the trash: removed episodes, which can be restored, and files that were replaced.
  func showTrash(in reading: LibraryReading) async {
    let library = library
    let (list, files) = await disk.perform {
      var (rows, files) = ([String: EpisodeRow](), [String: Library.TrashedFile]())
      for item in TrashedEpisode.all(library.trashedFiles, of: reading.episodes) {
        let isRemoved = item.local?.status == .removed
        let key = isRemoved ? item.file.key.text : BrowseModel.replacedPrefix + item.file.path
        files[item.file.path] = item.file
        var row = rows[key] ?? EpisodeRow(item, key: key, isRemoved: isRemoved)
        row.files.append(item.file.path)
        row.size = ByteSum.of(row.files.map { files[$0]?.bytes })
        row.keptUntil = max(row.keptUntil ?? .distantPast, item.file.keptUntil)
        rows[key] = row
      }
      return (RowList(rows.values.sorted { $0.key < $1.key }), files)
    }
    trashed = files
    send(.trash(list))
  }

  /// Deletes files for good: those that were shown, and no other one.
  func deleteFromTrash(_ paths: [String]) async {
    let files = paths.compactMap { trashed?[$0] }
    let library = library
    let gone = await disk.perform { library.deleteFromTrash(files) }
    let bytes = ByteText.size(ByteSum.of(gone.map(\.bytes)))
    let left = paths.count - gone.count
    send(
      left == 0
        ? .message("\(gone.count == 1 ? "1 file" : "\(gone.count) files") deleted (\(bytes)).")
        : .error("\(left) of \(paths.count) files cannot be deleted, or are gone already."))
    await loadLibrary()
  }
}

extension EpisodeRow {
  /// A file of the trash.
  fileprivate init(_ item: TrashedEpisode, key: String, isRemoved: Bool) {
    let podcast = item.local?.podcast
    self.init(
      key: key, podcast: podcast?.shownTitle ?? "",
      title: isRemoved ? item.name : "\(item.name) (replaced)", date: item.local?.date,
      duration: item.local?.duration, isStarred: item.local?.isStarred ?? false,
      isPlayed: item.local?.isPlayed ?? false, state: isRemoved ? .removed : .remote,
      artwork: item.local?.episode.artworkURL ?? podcast?.artworkURL)
  }
}

import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

extension LibraryFolders {
  /// Records a file beside an episode, and writes it unless it has gone.
  func add(
    _ name: String, role: String = "transcript", beside key: String, in path: String = "P",
    _ text: String
  ) throws {
    let there = try OpenFile.folder(path, in: library.root, creating: false)
    try folder.write("\(path)/\(name)", text)
    let contents = FolderContents(try FolderRecords.read(in: there))
    var entry = try #require(contents.entry(EpisodeKey(named: key)))
    let before = entry
    let file = try #require(EntryName(name))
    entry.otherFiles.append(
      EpisodeFile(
        role: role, path: file, bytes: Int64(text.utf8.count),
        sha256: try there.mediaFile(name).sha256(name)))
    try FolderRecords.append(
      entry.arrival(as: try #require(entry.file), after: before), in: there)
  }

  /// An episode on record with its statuses and files beside it.
  func others(_ key: String) -> [String] {
    let episodes = recorded.filter { $0.key == EpisodeKey(named: key).text }
    #expect(episodes.count == 1)
    return library.belongings(of: episodes)[EpisodeKey(named: key).text, default: []].map(\.path)
  }

  /// The text of a file.
  func text(_ path: String) throws -> String {
    String(decoding: try folder.read(path), as: UTF8.self)
  }

  /// The visible files below the library.
  var visible: [String] {
    folder.files.filter { !$0.hasPrefix(".") && !$0.contains("/.") }.sorted()
  }
}

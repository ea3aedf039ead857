import FoundationEssentials
import Glibc
import PodcastBrowse
import PodcastKit

/// How lists were sorted and grouped, in `.podget/browse`. It may be deleted.
extension BrowseEngine {
  private static let arrangementName = "browse"
  private static let longestArrangement: Int64 = 4096

  /// Sends how lists were arranged in an earlier run, if that is known.
  func loadArrangement() async {
    let library = library
    let text = await disk.perform { () -> String? in
      guard let folder = (try? library.ownFolder(creating: false)) ?? nil,
        let file = try? OpenFile.ownFile(
          Self.arrangementName, in: folder, limit: Self.longestArrangement),
        let data = try? file.readAll(Self.arrangementName, limit: Self.longestArrangement)
      else { return nil }
      return String(decoding: data, as: UTF8.self)
    }
    if let text { send(.arrangements(text)) }
  }

  /// Keeps it; if that cannot be written, only this run has it.
  func keepArrangement(_ text: String) async {
    let library = library
    await disk.perform {
      guard let folder = (try? library.ownFolder(creating: true)) ?? nil,
        let file = try? OpenFile.writableOwnFile(
          Self.arrangementName, in: folder, flags: O_WRONLY | O_TRUNC)
      else { return }
      try? file.writeAll(Data(text.utf8), Self.arrangementName)
    }
  }
}

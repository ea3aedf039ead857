import PodcastLibrary
import PodcastModel
internal import PodcastSystem

/// What a run takes away: a disk that is away, or another library, must not empty the feeds.
extension PublicationRun {
  /// Makes sure that what was published goes only if somebody meant it.
  ///
  /// - Throws: a ``PodgetError`` with the reason why it may not be so.
  func requireMeant(
    _ final: PublicationRecord, _ plan: PublicationPlan, in folder: PublicationFolder
  ) throws(PodgetError) {
    let earlier = folder.earlier.episodes
    let gone = earlier.subtracting(final.episodes)
    guard !gone.isEmpty else { return }
    let known = plan.all.filter { gone.contains($0.key) }
    let unknown = gone.subtracting(known.map(\.key)).count
    // What podget removed, or lists as missing, it knows.
    if unknown > 0, let empty = library.emptyFolder() {
      throw refusal(
        "The folder \(library.path)/\(empty) is empty, and the library does not know "
          + "\(episodes(unknown)) in \(folder.path): mount the disk that it is on, or remove the folder."
      )
    }
    if unknown > 0, folder.earlier.library != library.identity {
      throw refusal(
        "\(folder.path) was published from another library, and \(library.path) does not have "
          + "\(episodes(unknown)) of it.")
    }
    let unmeant = gone.count - known.count { $0.status == .removed }
    guard unmeant * 2 > earlier.count else { return }
    throw refusal(
      "Of \(episodes(earlier.count)) in \(folder.path), \(unmeant) would go that podget did not remove."
    )
  }

  private func refusal(_ sentence: String) -> PodgetError {
    PodgetError(.disk, sentence, remedy: .publishAnyway)
  }

  private func episodes(_ count: Int) -> String {
    count == 1 ? "1 episode" : "\(count) episodes"
  }
}

extension Library {
  /// What says which library it is, as a hash: its path is nobody's business.
  var identity: String {
    let path = OperatingSystem.path(of: root.number).map { String(decoding: $0, as: UTF8.self) }
    return PublicationRecord.hash(path ?? self.path)
  }
}

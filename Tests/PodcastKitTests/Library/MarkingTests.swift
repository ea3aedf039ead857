import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel

/// Many marks at once, as an exchange with a server of phones makes them.
@Suite struct MarkingTests {
  @Test func `each episode gets its own mark, and no folder any after a signal`() throws {
    let folders = try LibraryFolders()
    for key in ["a", "b"] { try folders.add(key, to: "P") }
    try folders.add("c", to: "Q")
    let (library, now) = (folders.library, Date(timeIntervalSince1970: 1_700_000_000))
    let episodes = library.episodes()
    let marks = episodes.enumerated().map { place, episode in
      (episode: episode, mark: EpisodeMark.position(.seconds(place + 1)))
    }
    #expect(throws: PodgetError.self) { try library.mark(marks, at: now) { true } }
    #expect(library.episodes().allSatisfy { $0.position == nil })
    var looks = 0
    #expect(throws: PodgetError.self) {
      try library.mark(marks, at: now) {
        looks += 1
        return looks > 1
      }
    }
    #expect(Set(library.episodes().map { $0.position == nil }) == [true, false])
    try library.mark(marks, at: now)
    #expect(library.episodes().compactMap(\.position) == [1, 2, 3].map { .seconds($0) })
    #expect(try library.progressTimes(of: episodes).count == 3)
  }
}

import Foundation
import TestSupport
import Testing

@testable import PodcastTransfer

@Suite("Copies to another file system") struct PartCopyTests {
  private let near: TemporaryFolder
  private let far: FarFolder
  private let folder: OpenFile

  init() throws {
    near = try TemporaryFolder()
    guard let far = try FarFolder(from: near) else {
      try Test.cancel("There is no other file system.")
    }
    self.far = far
    folder = try OpenFile.folder(far.path, creating: false)
  }

  private func part(_ bytes: [UInt8], in path: String) throws -> PartFile {
    let folder = try OpenFile.folder(near.path(path), creating: true)
    let part = try #require(try PartFile.open("a.part", in: folder))
    try part.write(bytes, at: 0)
    return part
  }

  private func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: "\(far.path)/\(name)")))
  }

  private func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: "\(far.path)/\(name)"))
  }

  @Test("a hidden foreign file stays") func foreign() throws {
    try write(".a.part", "mine")
    #expect(
      try part([1, 2, 3], in: "one").place(as: "a.mp3", in: folder, replacing: false) == .copied)
    #expect(try bytes(".a.part") == Array("mine".utf8))
    #expect(try bytes("a.mp3") == [1, 2, 3])
    #expect(folder.entries() == [".a.part", "a.mp3"])
  }

  @Test("two copies of files with one name at the same time are two") func twoAtOnce() throws {
    let (first, second) = (try part([1, 2, 3], in: "one"), try part([4, 5, 6], in: "two"))
    var others: [String] = []
    let placement = try first.place(
      as: "a.mp3", in: folder, replacing: false,
      isCancelled: {
        // The second one begins and is stopped while the first one copies.
        _ = try? second.place(
          as: "b.mp3", in: folder, replacing: false,
          isCancelled: {
            others = folder.entries()
            return true
          })
        return false
      })
    #expect(placement == .copied && others.count == 2)
    #expect(try bytes("a.mp3") == [1, 2, 3])
    #expect(folder.entries() == ["a.mp3"])
  }

  @Test("a copy whose name belongs to another file gets no other one") func replaced() throws {
    let part = try part([1, 2, 3], in: "one")
    #expect(throws: DiskError.self) {
      try part.place(
        as: "a.mp3", in: folder, replacing: false,
        isCancelled: {
          for name in folder.entries() {
            unlinkat(folder.number, name, 0)
            try? write(name, "half")
          }
          return false
        })
    }
    #expect(!folder.entries().contains("a.mp3"))
    #expect(try part.size() == 3)
  }

  @Test("a killed copy is removed by the next one, and a running copy stays")
  func leftovers() throws {
    let (left, live) = (".podget-copy-0123456789abcdef.part", ".podget-copy-fedcba9876543210.part")
    try write(left, "half")
    try write(".podget-copy-mine.part", "mine")
    let other = try #require(try PartFile.open(live, in: folder))
    #expect(
      try part([1, 2, 3], in: "one").place(as: "a.mp3", in: folder, replacing: false) == .copied)
    withExtendedLifetime(other) {}
    #expect(folder.entries() == [live, ".podget-copy-mine.part", "a.mp3"])
  }
}

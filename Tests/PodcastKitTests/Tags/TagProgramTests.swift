import Foundation
import PodcastModel
import PodcastTransfer
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary

/// The program that writes tags, on a file of each format.
@Suite("podget-tag") struct TagProgramTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var request: TagRequest {
    var request = TagRequest(
      Episode(
        guid: "guid-1", title: "Grün – 1", date: Date(timeIntervalSince1970: 1_700_000_000),
        enclosure: Enclosure(url: "https://example.org/1.mp3"), season: 2, number: 7),
      of: Podcast(
        title: "The Cast", author: "Ann", feedURL: FeedURL("https://example.org/feed")))
    // Comments that take more pages of Ogg than before.
    request.describe(String(repeating: "Words about it. ", count: 4_000))
    request.link("https://example.org/1")
    request.divide([(.zero, "One"), (.milliseconds(500), "Zwei ü")], end: .seconds(1))
    request.illustrate(Data(TestPNG.bytes(width: 8, height: 8, color: [255, 0, 0, 255])))
    return request
  }

  private func add(
    _ request: TagRequest, to path: String, _ format: TaggedFormat, writes: Bool
  ) throws -> [String] {
    let file = try OpenFile.open(path, flags: writes ? O_RDWR : O_RDONLY)
    return try TagProgram(besides: BuiltBinary.podget.path)
      .add(request.bytes(for: format, writes: writes), to: file, flag: CancelFlag())
  }

  @Test(arguments: AudioDigestTests.files.indices)
  func `adds what is missing, and leaves the audio as it is`(place: Int) throws {
    let (name, format) = AudioDigestTests.files[place]
    let before = [UInt8](try Fixtures.data("audio/\(name)"))
    let path = try folder.write(name, before)
    if name == "fragments.m4a" {
      // Its index of fragments has places in the file, which TagLib does not correct.
      #expect(throws: TagRefusal.self) { _ = try add(request, to: path, format, writes: true) }
      return #expect(try folder.read(name) == before)
    }
    var expected = [
      "title", "podcast", "author", "date", "number", "season", "genre", "description", "guid",
      "feed", "page", "kind", "artwork", "chapters",
    ]
    if format != .mp3 { expected.removeAll { $0 == "page" } }
    if format == .mp4 { expected.removeAll { $0 == "chapters" } }
    if name == "titled.mp3" { expected.removeAll { $0 == "title" } }
    #expect(Set(try add(request, to: path, format, writes: false)) == Set(expected))
    #expect(try folder.read(name) == before)
    #expect(Set(try add(request, to: path, format, writes: true)) == Set(expected))
    #expect(try add(request, to: path, format, writes: true) == [])

    var (old, new) = (MemoryBytes(content: before), MemoryBytes(content: try folder.read(name)))
    #expect(try AudioDigest.sum(of: &old, format) == AudioDigest.sum(of: &new, format))
    let (structure, changed) = (
      try AudioStructure.walk(&old), try AudioStructure.walk(&new)
    )
    #expect(structure == changed)
    // podget reads comments of one page only; these have a long description.
    if [.vorbis, .opus].contains(format) { return }
    let tags = try EpisodeTags.read(&new)
    #expect(tags.title == (name == "titled.mp3" ? "Own title" : "Grün – 1"))
    #expect(tags.album == "The Cast" && tags.guid == "guid-1")
    #expect(tags.date?.hasPrefix("2023-11-14") == true)
  }

  @Test func `the title that a file has stays, in whatever version`() throws {
    let path = try folder.write("a.mp3", try Fixtures.data("audio/titled.mp3"))
    _ = try add(request, to: path, .mp3, writes: true)
    let bytes = try folder.read("a.mp3")
    // ID3v2.3 stays that, and what is behind the audio is not touched.
    #expect(bytes[3] == 3)
    #expect(bytes.suffix(128) == [UInt8](try Fixtures.data("audio/titled.mp3")).suffix(128))
    let plain = try folder.write(
      "b.mp3", [UInt8](try Fixtures.data("audio/titled.mp3")).suffix(2000))
    _ = try add(request, to: plain, .mp3, writes: true)
    #expect(try folder.read("b.mp3")[3] == 4)
  }

  @Test func `players see tags, chapters and the picture`() async throws {
    let ffprobe = "/usr/bin/ffprobe"
    guard FileManager.default.isExecutableFile(atPath: ffprobe) else { return }
    for (name, format) in AudioDigestTests.files where name != "fragments.m4a" {
      let path = try folder.write(name, try Fixtures.data("audio/\(name)"))
      _ = try add(request, to: path, format, writes: true)
      let shown = try await RunningProcess(
        ffprobe,
        [
          "-v", "error", "-show_entries", "format_tags:stream_tags:stream=codec_name:chapter_tags",
          "-of", "compact", path,
        ]
      ).waitForExit()
      #expect(shown.status == .exited(0))
      #expect(shown.output.lowercased().contains("album=the cast"), "\(name): \(shown.output)")
      #expect(shown.output.contains("codec_name=png"), "\(name)")
      #expect(shown.output.contains("title=Zwei ü") == format.takesChapters, "\(name)")
    }
  }

  @Test func `a file of another format is refused, whatever is asked`() throws {
    for format in TaggedFormat.allCases {
      let path = try folder.write("x", [UInt8](repeating: 65, count: 5_000))
      _ = try? add(request, to: path, format, writes: false)
      #expect(try folder.read("x") == [UInt8](repeating: 65, count: 5_000))
    }
    let path = try folder.write("cut", [UInt8](try Fixtures.data("audio/short.flac")).prefix(30))
    #expect(throws: TagRefusal.leftAlone("Its tags are damaged, so it is left as it is.")) {
      _ = try add(request, to: path, .flac, writes: true)
    }
  }

  @Test func `requests that are none are refused`() throws {
    let program = try TagProgram(besides: BuiltBinary.podget.path)
    let path = try folder.write("a.mp3", try Fixtures.data("audio/titled.mp3"))
    let file = try OpenFile.open(path, flags: O_RDWR)
    let whole = request.bytes(for: .mp3, writes: true)
    for bad in [Data(), whole.prefix(20), whole.dropLast(), whole + [0], Data("x".utf8) + whole] {
      #expect(throws: TagRefusal.self) {
        _ = try program.add(bad, to: file, flag: CancelFlag())
      }
    }
    #expect(try folder.read("a.mp3") == [UInt8](try Fixtures.data("audio/titled.mp3")))
  }

  @Test func `an answer is a line of known names`() {
    #expect(TagProgram.names(in: Array("title guid title\n".utf8)) == ["title", "guid"])
    #expect(TagProgram.names(in: Array("\n".utf8)) == [])
    for bad in ["", "title", "title\nguid\n", "title other\n"] {
      #expect(TagProgram.names(in: Array(bad.utf8)) == nil, "\(bad)")
    }
  }

  @Test func `without the program there is one clear sentence`() throws {
    #expect {
      _ = try TagProgram(besides: folder.path("podget"))
    } throws: { error in
      (error as? PodgetError)?.message
        == "podget-tag is not installed: it is neither beside podget nor in libexec."
    }
  }

  @Test func `a program that crashes or hangs fails, and so does one that is stopped`() throws {
    let path = try folder.write("a.mp3", try Fixtures.data("audio/titled.mp3"))
    let file = try OpenFile.open(path, flags: O_RDONLY)
    func failure(_ text: String, stopping: Bool = false) throws -> PodgetError? {
      try? FileManager.default.removeItem(atPath: folder.path("podget-tag"))
      try folder.writeProgram("podget-tag", "#!/bin/sh\n\(text)\n")
      let program = try TagProgram(besides: folder.path("podget"), deadline: .milliseconds(400))
      let flag = CancelFlag()
      if stopping { flag.set() }
      do throws(TagRefusal) { _ = try program.add(Data(), to: file, flag: flag) } catch {
        if case .failed(let error) = error { return error }
      }
      return nil
    }
    func message(_ text: String, stopping: Bool = false) throws -> String? {
      try failure(text, stopping: stopping)?.message
    }
    #expect(try message("kill -SEGV $$")?.contains("crashed (signal 11)") == true)
    #expect(try message("exec /bin/sleep 60")?.contains("takes too long") == true)
    #expect(try message("echo other")?.contains("did not say") == true)
    #expect(try message("exit 127")?.contains("libtag") == true)
    #expect(try message("exec /bin/sleep 60", stopping: true) == "It was stopped.")
    #expect(try failure("exit 73")?.code == .diskFull)
    #expect(try failure("exit 71")?.code == .disk)
    // What would be the same the next time is no failure.
    for status in [65, 66, 67] { #expect(try failure("exit \(status)") == nil) }
  }

  @Test func `a disk without room is a failure, and not a property of the file`() throws {
    let path = try folder.write("a.mp3", try Fixtures.data("audio/titled.mp3"))
    let file = try OpenFile.open(path, flags: O_RDWR)
    let real = BuiltBinary.podget.path + "-tag"
    // No file may have more than 4 KiB.
    try folder.writeProgram("podget-tag", "#!/bin/sh\nulimit -f 8\nexec \"\(real)\"\n")
    let program = try TagProgram(besides: folder.path("podget"))
    #expect {
      _ = try program.add(
        request.bytes(for: .mp3, writes: true), to: file, flag: CancelFlag())
    } throws: { error in
      if case .failed(let error)? = error as? TagRefusal { error.code == .diskFull } else { false }
    }
  }
}

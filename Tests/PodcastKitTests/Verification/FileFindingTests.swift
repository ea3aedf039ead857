import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel

@Suite("Findings about files") struct FileFindingTests {
  private static func file(
    bytes: Int64? = 100, sha256: String? = "ab", published: Duration? = nil
  ) throws -> RecordedFile {
    let episode = Episode(
      title: "Psalms", duration: published, enclosure: Enclosure(url: "https://example.org/1.mp3"))
    let entry = FolderContents.Entry(
      key: "k", podcast: StoredPodcast(Podcast(title: "World")), episode: StoredEpisode(episode),
      file: "Psalms.mp3", bytes: bytes, sha256: sha256)
    let folder = try #require(RelativePath("World"))
    return try #require(RecordedFile(entry, in: folder))
  }

  private static func finding(
    _ file: RecordedFile, bytes: Int64 = 100, sha256: String = "ab",
    _ structure: AudioStructure = AudioStructure(ending: .whole)
  ) -> FileFinding {
    FileFinding(file, bytes: bytes, sha256: sha256, structure: structure)
  }

  @Test("the record decides first") func record() throws {
    let file = try Self.file()
    #expect(file.path == "World/Psalms.mp3" && file.plan.path == file.path)
    #expect(Self.finding(file).status == .ok)
    #expect(Self.finding(file).problem == nil)
    let short = Self.finding(file, bytes: 99, AudioStructure())
    #expect(short.status == .damaged)
    #expect(short.problem == "It has 99 bytes, and 100 are on record.")
    #expect(Self.finding(file, sha256: "cd").status == .damaged)
    let cut = AudioStructure(ending: .cut("It is cut."))
    #expect(Self.finding(file, sha256: "cd", cut).status == .damaged)
    #expect(Self.finding(file, cut).status == .truncated)
    #expect(Self.finding(file, cut).problem == "It is cut.")
    #expect(Self.finding(try Self.file(sha256: "AB")).status == .ok)
    let unchecked = try Self.file(sha256: nil)
    #expect(Self.finding(unchecked).status == .warning)
    #expect(Self.finding(unchecked, cut).status == .truncated)
    #expect(Self.finding(try Self.file(bytes: nil, sha256: nil)).status == .warning)
  }

  @Test("a file with the recorded audio is changed; one that cannot be compared may be accepted")
  func tags() throws {
    let file = try Self.file()
    func finding(_ audio: FileFinding.Audio, _ structure: AudioStructure) -> FileFinding {
      FileFinding(file, bytes: 120, sha256: "cd", structure: structure, audio: audio)
    }
    let whole = AudioStructure(ending: .whole)
    let changed = finding(.same, whole)
    #expect(changed.status == .changed && !changed.status.isProblem && changed.isAcceptable)
    #expect(changed.mayBeAccepted(isNamed: false))
    #expect(
      changed.problem == "Its audio is intact, and its tags are not those that were downloaded.")
    let other = finding(.other, whole)
    #expect(other.status == .damaged && !other.mayBeAccepted(isNamed: true))
    #expect(other.problem == "It has 120 bytes, and 100 are on record.")
    #expect(finding(.unknown, AudioStructure(ending: .unmarked)).isAcceptable)
    let unknown = finding(.unknown, whole)
    #expect(unknown.status == .damaged && unknown.mayBeAccepted(isNamed: true))
    #expect(!unknown.mayBeAccepted(isNamed: false))
    #expect(
      unknown.problem == "It has 120 bytes, and 100 are on record. The structure of its audio is "
        + "intact: its tags or its audio were changed.")
    for structure in [
      AudioStructure(), AudioStructure(ending: .cut("It is cut.")),
      AudioStructure(ending: .whole, damage: "A page is wrong."),
    ] { #expect(!finding(.unknown, structure).isAcceptable) }
    // The bytes on record are those, whatever else is known.
    #expect(
      FileFinding(file, bytes: 100, sha256: "ab", structure: whole, audio: .same).status == .ok)
  }

  @Test("an open end is a cut only if the duration says so")
  func openEnds() throws {
    let open = AudioStructure(ending: .open("Its last frame is cut."), duration: .seconds(600))
    func status(_ published: Duration?) throws -> FileFinding.Status {
      Self.finding(try Self.file(published: published), open).status
    }
    #expect(try status(nil) == .warning)
    #expect(try status(.seconds(600)) == .warning)
    #expect(try status(.seconds(609)) == .warning)
    #expect(try status(.seconds(300)) == .warning)
    #expect(try status(.seconds(700)) == .truncated)
    let finding = Self.finding(try Self.file(published: .seconds(3725)), open)
    #expect(
      finding.problem
        == "Its last frame is cut, and it plays 10:00 of the published 1:02:05.")
    #expect(Self.finding(try Self.file(), open).problem == "Its last frame is cut.")
  }

  @Test("damaged parts are the publisher's if the checksum is right") func damage() throws {
    let structure = AudioStructure(ending: .whole, damage: "A page is wrong.")
    let published = Self.finding(try Self.file(), structure)
    #expect(published.status == .warning && published.problem == "A page is wrong.")
    let unchecked = Self.finding(try Self.file(sha256: nil), structure)
    #expect(unchecked.status == .damaged && unchecked.problem == "A page is wrong.")
  }

  @Test("a duration far from the published one is only a warning") func durations() throws {
    let hour = AudioStructure(ending: .whole, duration: .seconds(3600))
    func warning(_ published: Duration?) throws -> String? {
      let finding = Self.finding(try Self.file(published: published), hour)
      #expect(finding.status == (finding.problem == nil ? .ok : .warning))
      return finding.problem
    }
    #expect(try warning(nil) == nil)
    #expect(try warning(.seconds(3500)) == nil)
    #expect(try warning(.zero) == nil)
    #expect(try warning(.seconds(1800)) == "It plays 1:00:00, and 30:00 were published.")
    #expect(try warning(.seconds(7200)) == "It plays 1:00:00, and 2:00:00 were published.")
  }
}

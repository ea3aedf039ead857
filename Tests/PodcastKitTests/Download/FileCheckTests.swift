import Foundation
import PodcastLibrary
import TestSupport
import Testing

@Suite("File check") struct FileCheckTests {
  static func bytes(_ text: String, _ count: Int = 0) -> [UInt8] {
    let start = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    return start + [UInt8](repeating: 0, count: max(0, count - start.count))
  }

  @Test(
    "row 49: a web page, XML, JSON and plain text are refused",
    arguments: [
      ("<!DOCTYPE html><html>", .html), ("\n\t <HTML lang=en>", .html), ("<!doctype HTML >", .html),
      ("<!-- a --><!-- b -->\n<html>", .html),
      ("<?xml version='1.0'?><!DOCTYPE html ><html>", .html),
      ("<?xml version='1.0'?>\n<html xmlns='x'>", .html), ("<title>404</title>", .html),
      ("<h1>Not found</h1>", .html), ("\u{FEFF}<html>", .html), ("<!-- only a comment -->", .html),
      ("<script>location='/login'</script>", .html), ("<?xml version='1.0'?><rss>", .xml),
      ("<Error><Code>AccessDenied</Code></Error>", .xml), ("<?xml version='1.0'", .xml),
      ("<?xml version='1.0'?><?style x?>", .xml),
      ("<!DOCTYPE rss SYSTEM 'x'>", .xml), ("<feed xmlns='x'>", .xml),
      ("{\"error\": 404}", .json), (" [1, 2]", .json), ("{}", .json), ("[\n{", .json),
      ("[Music] hello", .plain), ("{hello}", .plain), ("Not found\r\n", .plain), ("404", .plain),
      ("Datei nicht gefunden: ä", .plain), ("a < b", .plain), ("<3", .plain),
      ("ID3 tags explained, in a text", .plain), ("The wide world", .plain), ("MAC users", .plain),
      ("RIFF is a format", .plain), ("x", .plain), ("\u{FEFF}Hi", .plain), ("日", .plain),
    ] as [(String, FileCheck.TextKind)])
  func text(content: String, kind: FileCheck.TextKind) {
    #expect(FileCheck.verdict(start: Array(content.utf8), isWhole: true) == .text(kind))
    let mark: [UInt8] = [0xFF, 0xFE]
    let utf16 = mark + content.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    if content.utf16.count > 1, content.first != "\u{FEFF}" {
      #expect(FileCheck.verdict(start: utf16, isWhole: true) == .text(kind))
    }
  }

  @Test("UTF-16 without a mark and of either order is text") func utf16() {
    let big = "<html>".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    #expect(FileCheck.verdict(start: big, isWhole: true) == .text(.html))
    #expect(FileCheck.verdict(start: [0xFE, 0xFF] + big, isWhole: true) == .text(.html))
  }

  @Test(
    "a list of other files is refused, whatever follows",
    arguments: ["#EXTM3U\n", "[Playlist]\r\n"])
  func playlist(start: String) {
    let frame: [UInt8] = [0xFF, 0xFB, 0x90, 0x64] + [UInt8](repeating: 0, count: 413)
    let frames = (0..<20).flatMap { _ in frame }
    let bytes = Array("\(start)http://127.0.0.1/leak.mp3\n".utf8) + frames
    #expect(FileCheck.verdict(start: bytes, isWhole: true) == .text(.plain))
  }

  @Test("a page in another encoding is still a page") func latin1() {
    let page = Array("<html><title>Gesperrt f".utf8) + [0xFC] + Array("r Sie</title>".utf8)
    #expect(FileCheck.verdict(start: page, isWhole: true) == .text(.html))
  }

  @Test(
    "a short binary file is unknown, never text",
    arguments: [
      [], [0], [0xFF], [0xC3], [0xE6, 0x97], [0x80, 0x41], [0x41, 0x00], [0x1B, 0x5B],
      [0xFF, 0xFB],
      [0xEF, 0xBB, 0xBF], [UInt8](repeating: 0, count: 5_000), [0xFF, 0xFE], [0x61, 0x7F],
    ] as [[UInt8]])
  func unknown(content: [UInt8]) {
    #expect(FileCheck.verdict(start: content, isWhole: true) == .unknown)
  }

  @Test("more bytes are wanted only while they can arrive") func tooShort() {
    for start in ["", "Hello", "<ht", "<!-- ", "\u{FF}\u{FB}\u{90}\u{0}", "\u{FF}\u{FE}h\u{0}"] {
      #expect(FileCheck.verdict(start: Self.bytes(start), isWhole: false) == .tooShort)
      #expect(FileCheck.verdict(start: Self.bytes(start), isWhole: true) != .tooShort)
    }
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: 4_095)
    #expect(FileCheck.verdict(start: long, isWhole: false) == .tooShort)
    // The window may end inside a character.
    #expect(FileCheck.verdict(start: long + [0xC3], isWhole: false) == .text(.plain))
    #expect(FileCheck.verdict(start: long + [0x80], isWhole: false) == .unknown)
    #expect(FileCheck.verdict(start: Array("<html>".utf8), isWhole: false) == .text(.html))
  }

  @Test(
    "a signature gives the extension",
    arguments: [
      ("ID3\u{4}\u{0}\u{0}\u{0}\u{0}\u{7F}\u{7F}", "mp3"), ("fLaC", "flac"), ("%PDF-1.4\n", "pdf"),
      ("ID3\u{4}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}fLaC\u{0}", "flac"),
      ("\u{0}\u{0}\u{0}\u{14}ftypM4A \u{0}\u{0}\u{2}\u{0}isom", "m4a"),
      ("\u{0}\u{0}\u{0}\u{14}ftypisom\u{0}\u{0}\u{2}\u{0}mp41", "mp4"),
      ("\u{0}\u{0}\u{0}\u{18}ftypmp42\u{0}\u{0}\u{2}\u{0}isomM4B ", "m4b"),
      ("\u{0}\u{0}\u{0}\u{14}ftypqt  \u{0}\u{0}\u{2}\u{0}qt  ", "mov"),
      ("\u{0}\u{0}\u{0}\u{14}ftyp3gp4\u{0}\u{0}\u{2}\u{0}isom", "3gp"),
      ("\u{0}\u{0}\u{0}\u{8}wide\u{0}\u{0}\u{0}\u{0}mdat", "mov"),
      ("RIFF\u{1}\u{2}\u{3}\u{4}WAVEfmt ", "wav"), ("RIFF\u{1}\u{2}\u{3}\u{4}AVI LIST", "avi"),
      ("FORM\u{1}\u{2}\u{3}\u{4}AIFFCOMM", "aiff"), ("PK\u{3}\u{4}\u{14}\u{0}", "zip"),
      ("\u{30}\u{26}\u{B2}\u{75}\u{8E}\u{66}\u{CF}\u{11}", "wma"),
      ("\u{1A}\u{45}\u{DF}\u{A3}\u{1F}\u{42}\u{82}\u{84}webm", "webm"),
      ("\u{1A}\u{45}\u{DF}\u{A3}\u{A3}\u{42}\u{82}\u{88}matroska", "mkv"),
      ("#!AMR\n", "amr"), ("OggS", "ogg"),
    ])
  func signatures(start: String, expected: String) {
    let media = FileCheck.Verdict.media(fileExtension: expected)
    #expect(FileCheck.verdict(start: Self.bytes(start), isWhole: true) == media)
    #expect(FileCheck.verdict(start: Self.bytes(start, 4_096), isWhole: false) == media)
  }

  @Test("the content of an Ogg stream decides its extension") func ogg() {
    for (packet, expected) in [
      ("OpusHead", "opus"), ("\u{1}vorbis", "ogg"), ("\u{7F}FLAC", "oga"), ("Speex   ", "spx"),
      ("\u{80}theora", "ogv"),
    ] {
      let page = Self.bytes("OggS", 26) + [1, 30] + Self.bytes(packet, 30)
      #expect(
        FileCheck.verdict(start: page, isWhole: false) == .media(fileExtension: expected))
    }
  }

  @Test("an EPUB and a transport stream are recognized by later bytes") func later() {
    let epub = Self.bytes("PK\u{3}\u{4}", 30) + Array("mimetypeapplication/epub+zip".utf8)
    #expect(FileCheck.verdict(start: epub, isWhole: true) == .media(fileExtension: "epub"))
    let packets = (0..<4).flatMap { _ in Self.bytes("G", 188) }
    #expect(FileCheck.verdict(start: packets, isWhole: true) == .media(fileExtension: "ts"))
  }

  @Test("a frame counts when another follows it") func frames() {
    let mp3 = FileCheck.Verdict.media(fileExtension: "mp3")
    let frame = MPEGStreamTests.frame
    #expect(FileCheck.verdict(start: frame + frame, isWhole: false) == mp3)
    #expect(FileCheck.verdict(start: frame + [1, 2, 3, 4], isWhole: true) == .unknown)
    let faster: [UInt8] = [0xFF, 0xFB, 0x94, 0x00]
    #expect(FileCheck.verdict(start: frame + faster, isWhole: true) == .unknown)
    #expect(FileCheck.verdict(start: frame, isWhole: false) == .tooShort)
    #expect(FileCheck.verdict(start: frame, isWhole: true) == mp3)
    let zeros = [UInt8](repeating: 0, count: 1_000)
    #expect(FileCheck.verdict(start: zeros + frame + frame + frame, isWhole: true) == mp3)
    let aac: [UInt8] = [0xFF, 0xF1, 0x50, 0x80, 0x01, 0x40, 0xFC, 0, 0, 0]
    let found = FileCheck.verdict(start: aac + aac, isWhole: true)
    #expect(found == .media(fileExtension: "aac"))
  }

  @Test("an announced extension of the same container stays") func families() {
    #expect(FileCheck.fileExtension(found: "mp4", announced: "m4a") == "m4a")
    #expect(FileCheck.fileExtension(found: "mp3", announced: "m4a") == "mp3")
    #expect(FileCheck.fileExtension(found: "opus", announced: "ogg") == "ogg")
    #expect(FileCheck.fileExtension(found: "flac", announced: "") == "flac")
  }

  @Test(

    "the corpus has the types in its names",

    .enabled(if: CorpusNaming.root != nil, "the corpus is not here"))
  func corpus() throws {
    let odd: [String: FileCheck.Verdict] = [
      "koel__koel__fake.mp3": .text(.plain),
      "taglib__taglib__id3v2-invalid-version.mp3": .unknown,
    ]
    for file in try CorpusNaming.files(in: "audio") {
      let content = [UInt8](try Data(contentsOf: file))
      let verdict = FileCheck.verdict(start: content, isWhole: true)
      if let expected = odd[file.lastPathComponent] {
        #expect(verdict == expected, "\(file.lastPathComponent)")
      } else if case .media(let found) = verdict {
        let announced = file.pathExtension
        let settled = FileCheck.fileExtension(found: found, announced: announced)
        #expect(settled == announced, "\(file.lastPathComponent)")
      } else {
        Issue.record("\(file.lastPathComponent) is \(verdict)")
      }
    }
    for file in try CorpusNaming.files(in: "feeds") {
      let content = [UInt8](try Data(contentsOf: file))
      let isWhole = content.count < FileCheck.windowSize
      let verdict = FileCheck.verdict(start: content, isWhole: isWhole)
      let texts = FileCheck.TextKind.allCases.map(FileCheck.Verdict.text)
      #expect(texts.contains(verdict), "\(file.lastPathComponent)")
    }
  }

  @Test("no bytes make it crash") func random() {
    var generator = SeededGenerator(seed: 4)
    let starts = [
      "", "ID3", "\u{FF}\u{FB}", "OggS", "\u{0}\u{0}\u{0}\u{20}ftyp", "<!", "{", "PK\u{3}\u{4}",
    ]
    for index in 0..<4_000 {
      let rest = (0..<Int.random(in: 0...60, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      let start = Self.bytes(starts[index % starts.count]) + rest
      let verdict = FileCheck.verdict(start: start, isWhole: true)
      #expect(verdict != .tooShort)
    }
  }
}

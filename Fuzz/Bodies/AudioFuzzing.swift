@testable import PodcastLibrary
@testable import PodcastTransfer

/// Reads bytes as an audio file, in every way in which podget does.
enum AudioFuzzing {
  static func run(_ input: inout FuzzInput) throws {
    // Long files show which readers are not linear.
    let shape = input.choice(4)
    let content = input.remaining()
    let file = CountedBytes(content, repeating: shape == 3 ? 40 : 1)

    try within(file, "The structure") { file throws(DiskError) in
      let structure = try AudioStructure.walk(&file)
      return structure.duration
    }
    for (name, walk) in walks {
      try within(file, name) { file throws(DiskError) in try walk(&file).duration }
    }
    var tags = EpisodeTags()
    try within(file, "The tags") { file throws(DiskError) in
      tags = try EpisodeTags.read(&file)
      return nil
    }
    for text in [tags.title, tags.album, tags.date, tags.guid] {
      try FuzzFailure.require(
        (text?.utf8.count ?? 0) <= 3 * 64 * 1024, "A tag has \(text?.utf8.count ?? 0) bytes.")
    }
    try proof(of: file)
    try verdicts(file)
  }

  /// The proof of a file's audio proves that of the file itself, and of the file with one more tag.
  private static func proof(of file: CountedBytes) throws {
    var original = file
    guard let proof = try AudioProof(of: &original) else { return }
    let content = Array(file.peek(Int(file.length), at: 0))
    var sum = ContinuedSHA256()
    sum.add(content)
    let tag: [UInt8] = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 2, 0, 0]
    for edited in [content, tag + content] {
      var edited = CountedBytes(edited, repeating: 1)
      let isSame = try proof.hasSameAudio(
        &edited, bytes: file.length, sha256: sum.checksum, isCancelled: { false })
      // With one more tag the last of very many counts as audio.
      try FuzzFailure.require(isSame != nil, "A file has no audio of its own.")
      if edited.length == file.length {
        try FuzzFailure.require(isSame == true, "A file has another audio than itself.")
      }
    }
  }

  private typealias Walk = (inout CountedBytes) throws(DiskError) -> AudioStructure

  /// Every reader gets every input, not only those that begin like its format.
  private static var walks: [(String, Walk)] {
    [
      ("The MPEG walk", { (file) throws(DiskError) in try MPEGStream.walk(&file) }),
      ("The MP4 walk", { (file) throws(DiskError) in try MP4Boxes.walk(&file) }),
      ("The Ogg walk", { (file) throws(DiskError) in try OggPages.walk(&file) }),
      ("The ADTS walk", { (file) throws(DiskError) in try ADTSFrames.walk(&file) }),
      ("The wave walk", { (file) throws(DiskError) in try WaveChunks.walk(&file) }),
      (
        "The FLAC walk",
        { (file) throws(DiskError) in FLACStream.walk(Array(try file.look(4096, at: 0))) }
      ),
    ]
  }

  private static func within(
    _ file: CountedBytes, _ name: String,
    _ walk: (inout CountedBytes) throws(DiskError) -> Duration?
  ) throws {
    var file = file
    let duration: Duration?
    do throws(DiskError) {
      duration = try walk(&file)
    } catch {
      throw FuzzFailure(description: "\(name) asks too often: \(error.operation)")
    }
    if let duration {
      try FuzzFailure.require(duration >= .zero, "\(name) takes \(duration).")
      // Whoever shows it converts it to seconds.
      _ = duration.components.seconds
    }
  }

  private static func verdicts(_ file: CountedBytes) throws {
    let start = file.peek(FileCheck.windowSize, at: 0)
    for count in [start.count, start.count / 2, 12, 4] {
      let verdict = FileCheck.verdict(start: Array(start.prefix(count)), isWhole: true)
      try FuzzFailure.require(verdict != .tooShort, "A whole file of \(count) bytes is too short.")
    }
    if start.count == FileCheck.windowSize {
      let verdict = FileCheck.verdict(start: Array(start), isWhole: false)
      try FuzzFailure.require(verdict != .tooShort, "A full window is too short.")
    }
    // What podget accepts at once, `verify` must not report as truncated afterwards.
    var copy = file
    let structure = try AudioStructure.walk(&copy)
    for mark in [FileEnd.Mark.connection, .message] {
      let end = FileEnd(mark, length: file.length, structure: structure)
      guard end.judgement == .complete else { continue }
      let reason = FileFinding.cut(structure, published: nil)
      try FuzzFailure.require(reason == nil, "Complete, and then: \(reason ?? "")")
    }
  }
}

/// Bytes in memory, repeated if wanted, that count how often they are asked for.
struct CountedBytes: AudioBytes {
  let length: Int64
  private let content: [UInt8]
  private var calls = 0

  init(_ content: [UInt8], repeating count: Int) {
    self.content = content.isEmpty ? content : Array(repeatElement(content, count: count).joined())
    length = Int64(self.content.count)
  }

  /// The same without counting.
  func peek(_ count: Int, at offset: Int64) -> ArraySlice<UInt8> {
    guard count > 0, offset >= 0, offset < length else { return [] }
    return content[Int(offset)...].prefix(count)
  }

  mutating func look(_ count: Int, at offset: Int64) throws(DiskError) -> ArraySlice<UInt8> {
    guard count >= 0, offset >= 0 else { throw DiskError(22, "\(count) bytes at \(offset)", "") }
    // A walk that asks more than a few times for each byte is not linear.
    calls += 1
    if calls > 1000 + 8 * length { throw DiskError(27, "\(calls) calls", "") }
    return peek(count, at: offset)
  }

  mutating func next(_ count: Int, at offset: Int64) throws(DiskError) -> ArraySlice<UInt8> {
    try look(count, at: offset)
  }
}

package import PodcastTransfer

/// The result of reading through an audio file's structure: whether its end is there, and its
/// duration.
package struct AudioStructure: Sendable, Hashable {
  /// The state of the end of the file. The sentences do not name the file.
  package enum Ending: Sendable, Hashable {
    /// The last part of the format is there, and shows that it is the last one.
    case whole
    /// Nothing is missing, but nothing shows either that it is the last part: frames may follow.
    case unmarked
    /// It stops in the middle of something, as truncated files do; some publishers' files do so
    /// too.
    case open(String)
    /// Something that the file itself announces is missing.
    case cut(String)
    /// The format is not known, or has no information about its end.
    case unknown
  }

  /// The state of the end.
  package var ending = Ending.unknown
  /// The duration, if the format has it.
  package var duration: Duration?
  /// What is wrong with its parts by their own checks, in a sentence that does not name the file;
  /// nil if nothing is wrong, or the format has no such checks.
  package var damage: String?

  /// Creates a structure; by default nothing is known.
  package init(ending: Ending = .unknown, duration: Duration? = nil, damage: String? = nil) {
    self.ending = ending
    self.duration = duration
    self.damage = damage
  }
}

extension AudioStructure {
  /// Reads through a file of any format; an unknown format is `unknown` and never an error.
  ///
  /// - Throws: errors of the disk.
  package static func walk(
    _ file: inout some AudioBytes, limit: Int = 1 << 20
  ) throws(DiskError) -> AudioStructure {
    guard file.length <= longestFile else { return AudioStructure() }
    var bounded = BoundedLooks(file, limit: limit)
    defer { file = bounded.file }
    let structure = try find(in: &bounded)
    return bounded.left > 0 ? structure : AudioStructure()
  }

  /// A sparse file may claim any length; below this one, no sum of a position and a size overflows.
  static let longestFile: Int64 = 1 << 60

  private static func find(in file: inout some AudioBytes) throws(DiskError) -> AudioStructure {
    let start = Array(try file.look(FileCheck.windowSize, at: 0))
    switch format(start, of: file.length) {
    case "mp3": return try MPEGStream.walk(&file)
    case "m4a", "m4b", "m4v", "mp4", "mov", "3gp", "3g2": return try MP4Boxes.walk(&file)
    case "ogg", "oga", "ogv", "opus", "spx": return try OggPages.walk(&file)
    case "aac": return try ADTSFrames.walk(&file)
    case "wav": return try WaveChunks.walk(&file)
    case "flac": return FLACStream.walk(start)
    default: return AudioStructure()
    }
  }

  /// How much its duration may differ from a published one that means the same: publishers round.
  static func tolerance(_ published: Duration) -> Duration { max(.seconds(10), published / 50) }

  /// The usual extension of a file's format; nil for one that podget does not know.
  static func format(of file: inout some AudioBytes) throws(DiskError) -> String? {
    format(Array(try file.look(FileCheck.windowSize, at: 0)), of: file.length)
  }

  private static func format(_ start: [UInt8], of length: Int64) -> String? {
    AudioSignature.fileExtension(of: start)
      ?? AudioSignature.fileExtension(
        ofFramesWithin: start, isWhole: Int64(start.count) == length)
  }

  /// The duration of so many samples; nil if the rate makes no sense.
  package static func duration(samples: Int64, perSecond: Int64) -> Duration? {
    guard perSecond > 0, samples > 0, samples / perSecond < 100_000_000 else { return nil }
    return .milliseconds(Int64(Double(samples) / Double(perSecond) * 1000))
  }
}

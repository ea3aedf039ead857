package import PodcastTransfer

/// What a walk through an audio file's own structure tells: whether its end is there, and how long
/// it plays.
package struct AudioStructure: Sendable, Hashable {
  /// What the end of the file looks like. The sentences name no file.
  package enum Ending: Sendable, Hashable {
    /// The last part of the format is there.
    case whole
    /// It stops in the middle of something, as cut files do, and as some publishers' files do too.
    case open(String)
    /// Something that the file itself announces is not there.
    case cut(String)
    /// The format is not known, or tells nothing about its end.
    case unknown
  }

  /// What the end looks like.
  package var ending = Ending.unknown
  /// The playing time, where the format tells it.
  package var duration: Duration?
  /// What is wrong with its parts by what they tell of themselves, in a sentence that names no file;
  /// nil where nothing is, or the format has no such signs.
  package var damage: String?

  /// Makes a structure; nothing is known unless it is said.
  package init(ending: Ending = .unknown, duration: Duration? = nil, damage: String? = nil) {
    self.ending = ending
    self.duration = duration
    self.damage = damage
  }
}

extension AudioStructure {
  /// Walks through a file of any format; what is not known is `unknown` and never an error.
  ///
  /// - Throws: what the disk says.
  package static func walk(
    _ file: inout some AudioBytes, limit: Int = 1 << 20
  ) throws(DiskError) -> AudioStructure {
    guard file.length <= longestFile else { return AudioStructure() }
    var bounded = BoundedLooks(file, limit: limit)
    defer { file = bounded.file }
    let structure = try find(in: &bounded)
    return bounded.left > 0 ? structure : AudioStructure()
  }

  /// A sparse file may claim any length; below this one, no sum of a place and a size overflows.
  static let longestFile: Int64 = 1 << 60

  private static func find(in file: inout some AudioBytes) throws(DiskError) -> AudioStructure {
    let start = Array(try file.look(FileCheck.windowSize, at: 0))
    let isWhole = Int64(start.count) == file.length
    let found =
      AudioSignature.fileExtension(of: start)
      ?? AudioSignature.fileExtension(ofFramesWithin: start, isWhole: isWhole)
    switch found {
    case "mp3": return try MPEGStream.walk(&file)
    case "m4a", "m4b", "m4v", "mp4", "mov", "3gp", "3g2": return try MP4Boxes.walk(&file)
    case "ogg", "oga", "ogv", "opus", "spx": return try OggPages.walk(&file)
    case "aac": return try ADTSFrames.walk(&file)
    case "wav": return try WaveChunks.walk(&file)
    case "flac": return FLACStream.walk(start)
    default: return AudioStructure()
    }
  }

  /// A playing time of so many samples; nil where the rate makes no sense.
  package static func duration(samples: Int64, perSecond: Int64) -> Duration? {
    guard perSecond > 0, samples > 0, samples / perSecond < 100_000_000 else { return nil }
    return .milliseconds(Int64(Double(samples) / Double(perSecond) * 1000))
  }
}

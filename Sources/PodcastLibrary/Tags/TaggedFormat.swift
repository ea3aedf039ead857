package import PodcastTransfer

/// The formats of files that podget tags; the raw values are what podget-tag calls them.
package enum TaggedFormat: String, Sendable, Hashable, CaseIterable {
  /// MPEG audio, with ID3v2 tags.
  case mp3
  /// ISO base media, audio and video.
  case mp4
  /// FLAC in its own container.
  case flac
  /// Vorbis in Ogg.
  case vorbis
  /// Opus in Ogg.
  case opus

  /// Whether chapters can be written into such a file.
  package var takesChapters: Bool { self != .mp4 }

  /// The format by the first bytes of a file; nil for any other, whatever the name of the file says.
  package init?(of file: inout some AudioBytes) throws(DiskError) {
    let start = Array(try file.look(FileCheck.windowSize, at: 0))
    guard
      case .media(let found) = FileCheck.verdict(
        start: start, isWhole: Int64(start.count) == file.length)
    else { return nil }
    switch found {
    case "mp3": self = .mp3
    case "m4a", "m4b", "m4v", "mp4": self = .mp4
    // Behind an ID3 tag, which FLAC should not have, podget-tag would have to keep that.
    case "flac" where start.starts(with: "fLaC".utf8): self = .flac
    case "opus": self = .opus
    case "ogg" where start.count > 28 && start[(28)...].starts(with: "\u{1}vorbis".utf8):
      self = .vorbis
    default: return nil
    }
  }
}

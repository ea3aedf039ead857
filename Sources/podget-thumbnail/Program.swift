import Glibc
import PodcastArtwork
import PodcastThumbnails

/// `podget-thumbnail [SIZE [keep]]`: reads one image from standard input and writes a thumbnail to
/// standard output, as ``Thumbnail/bytes``; with `keep` a file of it too, as ``KeptThumbnail/bytes``. podget
/// starts it for each image.
///
/// Images come from anybody, and decoders have had faults. A fault here ends this program and nothing
/// else; it has no open files and little memory and time. The exit status is 0, or says why there is
/// no thumbnail (``ImageRefusal``); standard error then has one sentence.
@main
enum Program {
  /// The exit status for wrong arguments.
  private static let usage: Int32 = 64
  /// The longer side without an argument.
  private static let standardSize = 300

  static func main() {
    Limits.apply()
    let keeps = CommandLine.arguments.count == 3 && CommandLine.arguments[2] == KeptThumbnail.word
    guard let size = size(CommandLine.arguments.dropLast(keeps ? 1 : 0)) else {
      let word = KeptThumbnail.word
      end(usage, "usage: podget-thumbnail [SIZE [\(word)]], from 1 to \(Thumbnail.longestSide)")
    }
    do throws(ImageRefusal) {
      let image = try InputBytes.read()
      let thumbnail = try image.withBytes { bytes throws(ImageRefusal) in
        try ThumbnailMaker.thumbnail(of: bytes, size: size)
      }
      // Without a reader nobody wants to know.
      let file = keeps ? WebPFile.bytes(thumbnail) : []
      _ = write(KeptThumbnail(thumbnail, file: file).bytes, to: STDOUT_FILENO)
    } catch {
      end(error.rawValue, "the image cannot be used: \(error.explanation)")
    }
  }

  private static func size(_ arguments: ArraySlice<String>) -> Int? {
    guard arguments.count <= 2 else { return nil }
    guard arguments.count == 2 else { return standardSize }
    return Int(arguments[1]).flatMap { (1...Thumbnail.longestSide).contains($0) ? $0 : nil }
  }

  private static func end(_ status: Int32, _ sentence: String) -> Never {
    _ = write(Array("podget-thumbnail: \(sentence).\n".utf8), to: STDERR_FILENO)
    exit(status)
  }

  /// Writes all bytes; false when that fails.
  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count == 0 || errno != EINTR {
        return false
      }
    }
    return true
  }
}

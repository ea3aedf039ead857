import Glibc
import PodcastArtwork

/// `podget --thumbnail SIZE [keep]`: reads one image from standard input and writes a thumbnail to
/// standard output, as ``Thumbnail/bytes``; with `keep` a file of it too, as ``KeptThumbnail/bytes``. podget
/// starts itself so for each image.
///
/// Images come from anybody, and decoders have had faults. A fault here ends this process and nothing
/// else; it has no open files and little memory and time. The exit status is 0, or says why there is
/// no thumbnail (``ImageRefusal``); standard error then has one sentence.
package enum ThumbnailProgram {
  /// The exit status for wrong arguments.
  private static let usage: Int32 = 64

  /// Runs the process to its end.
  ///
  /// - Parameter arguments: those behind ``Thumbnail/argument``.
  package static func run(_ arguments: ArraySlice<String>) -> Never {
    ProgramLimits.apply()
    let keeps = arguments.count == 2 && arguments.last == KeptThumbnail.word
    guard let size = size(arguments.dropLast(keeps ? 1 : 0)) else {
      end(usage, "a thumbnail has from 1 to \(Thumbnail.longestSide) pixels on a side")
    }
    do throws(ImageRefusal) {
      let image = try InputBytes.read()
      let thumbnail = try image.withBytes { bytes throws(ImageRefusal) in
        _ = ThumbnailMaker.load(try ImageFormat(of: bytes))
        if keeps { _ = ThumbnailMaker.load(.webP) }
        ProgramLimits.openNothing()
        return try ThumbnailMaker.thumbnail(of: bytes, size: size)
      }
      // Without a reader nobody wants to know.
      let file = keeps ? WebPFile.bytes(thumbnail) : []
      _ = write(KeptThumbnail(thumbnail, file: file).bytes, to: STDOUT_FILENO)
      exit(0)
    } catch {
      end(error.rawValue, "the image cannot be used: \(error.explanation)")
    }
  }

  private static func size(_ arguments: ArraySlice<String>) -> Int? {
    guard arguments.count == 1 else { return nil }
    return arguments.first.flatMap { Int($0) }.flatMap {
      (1...Thumbnail.longestSide).contains($0) ? $0 : nil
    }
  }

  private static func end(_ status: Int32, _ sentence: String) -> Never {
    _ = write(Array("podget: \(sentence).\n".utf8), to: STDERR_FILENO)
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

package import FoundationEssentials
import Glibc
package import PodcastArtwork
package import PodcastModel
import PodcastTransfer

/// Turns the bytes of an image into a thumbnail.
package protocol ImageDecoder: Sendable {
  /// The longer side of the thumbnails in pixels.
  var size: Int { get }

  /// The thumbnail of an image. Cancelling the task ends the work.
  func thumbnail(of image: Data) async throws(PodgetError) -> Thumbnail

  /// The same with a small file of it, which ``thumbnail(of:)`` can read.
  func keptThumbnail(of image: Data) async throws(PodgetError) -> KeptThumbnail
}

/// Decodes each image in a process of its own, for which podget starts itself: a fault in a decoder, found
/// by a hostile image, ends that process and nothing else.
package struct ThumbnailDecoder: ImageDecoder {
  package let size: Int
  private let program: String
  private let deadline: Duration
  private let threads: DiskPool

  /// Creates a decoder.
  ///
  /// - Parameters:
  ///   - program: the path of podget.
  ///   - size: the longer side of the thumbnails in pixels, at most ``Thumbnail/longestSide``.
  ///   - deadline: how long one image may take. The program limits its processor time itself.
  ///   - processes: how many images are decoded at once.
  package init(
    program: String = InstalledProgram.running, size: Int = 300, deadline: Duration = .seconds(20),
    processes: Int = 2
  ) {
    self.program = program
    self.size = min(max(1, size), Thumbnail.longestSide)
    self.deadline = deadline
    threads = DiskPool(threads: processes)
  }

  package func thumbnail(of image: Data) async throws(PodgetError) -> Thumbnail {
    try await run(on: image, maximumOutput: Thumbnail.maximumBytes) { Thumbnail(bytes: $0) }
  }

  package func keptThumbnail(of image: Data) async throws(PodgetError) -> KeptThumbnail {
    try await run(on: image, [KeptThumbnail.word], maximumOutput: KeptThumbnail.maximumBytes) {
      KeptThumbnail(bytes: $0)
    }
  }

  private func run<Result>(
    on image: Data, _ words: [String] = [], maximumOutput: Int, _ read: ([UInt8]) -> Result?
  ) async throws(PodgetError) -> Result {
    guard image.count <= ImageLimits.bytes else { throw Self.failure(.tooManyBytes) }
    let child = FilterProcess()
    let ending = await withTaskCancellationHandler {
      await threads.perform { [program, size, deadline] in
        child.run(
          [program, Thumbnail.argument, String(size)] + words, input: image,
          maximumOutput: maximumOutput,
          deadline: deadline)
      }
    } onCancel: {
      child.cancel()
    }
    switch ending {
    case .exited(0, let output):
      guard let result = read(output) else {
        throw PodgetError(.decoding, "The image cannot be used: its decoder wrote no thumbnail.")
      }
      return result
    case .exited(let status, _):
      guard let refusal = ImageRefusal(rawValue: status) else {
        throw PodgetError(.decoding, "The image cannot be used: its decoder failed (\(status)).")
      }
      throw Self.failure(refusal)
    case .died(SIGXCPU), .late:
      throw PodgetError(.decoding, "The image cannot be used: decoding it takes too long.")
    case .died(let signal):
      throw PodgetError(
        .decoding, "The image cannot be used: its decoder crashed (signal \(signal)).")
    case .cancelled:
      throw PodgetError(.network, "The request was stopped.")
    case .notStarted(let number):
      throw PodgetError(.disk, "Cannot run \(program): \(String(cString: strerror(number))).")
    }
  }

  private static func failure(_ refusal: ImageRefusal) -> PodgetError {
    PodgetError(.decoding, "The image cannot be used: \(refusal.explanation).")
  }
}

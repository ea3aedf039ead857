import FoundationEssentials
import PodcastKit

/// Writes a line for each artwork when it has arrived, and the summary.
actor ArtworkReport {
  private let output: ListingOutput
  private var folder: ArtworkExport?
  private var finished = 0
  private var failed = 0
  /// Why standard output cannot be written.
  private var lostOutput: PodgetError?

  /// Creates a report.
  ///
  /// - Parameter folder: where thumbnails are written; nil for nowhere.
  init(_ output: ListingOutput, folder: ArtworkExport?) {
    self.output = output
    self.folder = folder
  }

  /// Reports an artwork.
  func arrived(_ podcast: Podcast, url: String, _ artwork: Artwork) {
    var path: String?
    do throws(PodgetError) {
      path = try folder?.write(artwork.thumbnail, of: podcast)
    } catch {
      return failed(podcast, source: nil, url: url, error)
    }
    finished += 1
    let thumbnail = artwork.thumbnail
    send(
      JSONForms.arrivedArtwork(
        .init(artwork: artwork, podcast: podcast, url: url, path: path)),
      name: podcast.shownTitle,
      text: ": \(thumbnail.width)x\(thumbnail.height), from "
        + "\(ByteText.size(Int64(artwork.imageBytes)))" + (path.map { ", \($0)" } ?? ""))
  }

  /// Reports what failed.
  ///
  /// - Parameters:
  ///   - podcast: the podcast, if it is known.
  ///   - source: the source, if it cannot be read.
  ///   - url: the address of the artwork, if it is known.
  func failed(_ podcast: Podcast?, source: String?, url: String?, _ error: PodgetError) {
    failed += 1
    if output.isJSON {
      send(
        JSONForms.missedArtwork(
          .init(podcast: podcast, source: source, url: url, error: error)), text: "")
    }
    let name = podcast?.title ?? source.map { AddressRedaction.shown($0) } ?? ""
    output.note(failure: "\(name): \(error.sentence)")
  }

  /// Writes the summary.
  ///
  /// - Throws: a ``PodgetError`` when standard output could not be written.
  func end(interruptedWith: Int32?) throws(PodgetError) -> Outcome {
    if output.isJSON {
      send(JSONForms.artworkSummary((finished, failed)), text: "")
    } else if finished + failed == 0, interruptedWith == nil {
      output.note("There is no podcast to read artwork of.")
    }
    if let lostOutput { throw lostOutput }
    return Outcome(hasFailed: failed > 0, interruptedWith: interruptedWith)
  }

  private func send(_ object: JSONValue, name: String = "", text: String) {
    guard lostOutput == nil, output.isJSON || !output.isQuiet else { return }
    do {
      let name = output.style.styled(TerminalText.safe(name), .bold)
      try output.write(object, text: name + TerminalText.safe(text) + "\n")
    } catch {
      lostOutput = error as? PodgetError
    }
  }
}

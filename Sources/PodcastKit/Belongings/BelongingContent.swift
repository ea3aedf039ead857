import PodcastArtwork
import PodcastFeeds
import PodcastModel

/// What a server sent, as it is stored beside an episode.
enum BelongingContent {
  /// Checks what came, and gives it the form in which it is stored.
  ///
  /// - Returns: the content, and the ending of the file's name with its dot.
  /// - Throws: a ``PodgetError`` with the code `decoding` for anything else than what was asked for.
  static func stored(
    _ document: FeedCatalog.Document, as offer: PlannedBelonging
  ) throws(PodgetError) -> (bytes: [UInt8], ending: String) {
    switch offer.kind {
    case .transcript:
      let format = TranscriptFormat(type: offer.type, url: offer.url ?? "") ?? .text
      return try TranscriptParagraph.stored(
        document.bytes, format: format, charset: document.charset)
    case .chapters:
      let chapters = try Chapter.list(in: document.bytes, charset: document.charset)
      guard let text = StoredChapters.text(chapters) else {
        throw PodgetError(.decoding, "The list of chapters is empty.")
      }
      return (Array(text.utf8), StoredChapters.ending)
    case .notes: return (document.bytes, StoredNotes.ending)
    case .artwork, .cover:
      do throws(ImageRefusal) {
        return (document.bytes, ending(of: try ImageFormat(complete: document.bytes)))
      } catch {
        throw PodgetError(
          .decoding, "What came is no image that can be stored: \(error.explanation).")
      }
    }
  }

  /// The ending of the name of what the feed has itself.
  static func ending(ofText kind: Belonging) -> String {
    kind == .chapters ? StoredChapters.ending : StoredNotes.ending
  }

  private static func ending(of format: ImageFormat) -> String {
    switch format {
    case .jpeg: ".jpg"
    case .png: ".png"
    case .webP: ".webp"
    }
  }
}

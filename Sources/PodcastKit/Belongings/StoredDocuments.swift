package import PodcastFeeds
package import PodcastLibrary
package import PodcastModel

/// What is stored beside an episode, read without a network.
package struct StoredDocuments: Sendable {
  private let library: Library
  private let files: [BelongingFile]

  /// Looks up the files beside an episode; it blocks on the disk.
  package init(of episode: LocalEpisode, in library: Library) {
    self.library = library
    files = library.belongings(of: [episode])[episode.key] ?? []
  }

  /// The kinds that are there.
  package var kinds: Set<Belonging> { Set(files.compactMap(\.kind)) }

  /// The paths of the files relative to the library.
  package var paths: [String] { files.map(\.path) }

  /// The lines of the notes; nil if there are none that can be read.
  package var notes: [String]? { bytes(.notes).map { StoredNotes.lines(in: $0.bytes) } }

  /// The chapters; nil if there are none that can be read.
  package var chapters: [Chapter]? { bytes(.chapters).flatMap { try? Chapter.list(in: $0.bytes) } }

  /// The transcript; nil if there is none that can be read.
  package var transcript: [TranscriptParagraph]? {
    bytes(.transcript).flatMap { Self.transcript(in: $0.bytes, at: $0.path) }
  }

  /// The paragraphs of a stored transcript; nil if it cannot be read.
  static func transcript(in bytes: [UInt8], at path: String) -> [TranscriptParagraph]? {
    let ending = String(path.suffix(from: path.lastIndex(of: ".") ?? path.endIndex))
    let format = TranscriptParagraph.form(ofEnding: ending) ?? .text
    return try? TranscriptParagraph.list(in: bytes, format: format)
  }

  private func bytes(_ kind: Belonging) -> (bytes: [UInt8], path: String)? {
    guard let file = files.first(where: { $0.kind == kind }) else { return nil }
    return library.contents(of: file).map { ($0, file.path) }
  }
}

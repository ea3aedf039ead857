package import FoundationEssentials
package import PodcastModel
package import PodcastTransfer

/// What became of the tags of an episode's file.
package struct TaggedFile: Sendable, Hashable {
  /// The result; the raw values are the contract with scripts.
  package enum Status: String, Sendable, Hashable, CaseIterable {
    /// What was missing is written.
    case tagged
    /// Nothing was missing or nothing was to be undone, or podget does not tag such a file.
    case unchanged
    /// The file is as it was before podget tagged it.
    case restored
    /// It would be changed.
    case planned
    /// It is as it was, because something failed.
    case failed
  }

  /// The episode as the library has it now.
  package var local: LocalEpisode
  package var status: Status
  /// The names of the tags that were added, or would be.
  package var added: [String] = []
  /// One sentence: why a file is left as it is.
  package var problem: String?
  /// Why it failed.
  package var error: PodgetError?

  package init(
    _ local: LocalEpisode, _ status: Status, added: [String] = [], problem: String? = nil,
    error: PodgetError? = nil
  ) {
    self.local = local
    self.status = status
    self.added = added
    self.problem = problem
    self.error = error
  }
}

/// Why a file is left as it is.
package enum TagRefusal: Error, Sendable, Hashable {
  /// A property of the file, in a sentence: it would be the same the next time.
  case leftAlone(String)
  /// Something failed that may not fail again.
  case failed(PodgetError)

  /// Why, in a sentence.
  package var sentence: String {
    switch self {
    case .leftAlone(let sentence): sentence
    case .failed(let error): error.message
    }
  }

  /// The user stopped it.
  package static let stopped = TagRefusal.failed(PodgetError(.disk, "It was stopped."))
}

/// Writes tags into one open file.
package protocol TagWriter: Sendable {
  /// Adds what is missing, if the request says so. It blocks.
  ///
  /// - Parameters:
  ///   - request: what the file should have, as ``TagRequest/bytes(for:writes:)`` says it.
  ///   - file: the file; open for writing too if it is to be changed.
  ///   - flag: ends it at once.
  /// - Returns: the names of what was missing.
  func add(
    _ request: Data, to file: OpenFile, flag: CancelFlag
  ) throws(TagRefusal) -> [String]
}

/// Writes none: files are given back without what writes tags.
package struct NoTagWriter: TagWriter {
  package init() {}

  package func add(
    _ request: Data, to file: OpenFile, flag: CancelFlag
  ) throws(TagRefusal) -> [String] {
    throw .failed(PodgetError(.notFound, "Nothing writes tags now."))
  }
}

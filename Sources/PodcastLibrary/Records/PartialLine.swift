package import PodcastModel
package import PodcastTransfer

/// A line of the record of an unfinished download, after the first one: what has changed since.
///
/// A line counts completely or not at all, and each one only changes what it names: after a power
/// failure that tears the last one, the others are still valid.
package struct PartialLine: Codable, Sendable, Hashable {
  /// How much of one version of the file is safe.
  package struct Checkpoint: Codable, Sendable, Hashable {
    /// The version; a statement about another version than the record's is ignored.
    package var generation: Int
    /// How many bytes from the beginning have been synced to the disk.
    package var durableLength: Int64
    /// The proof of them in a copy of the file; nil if no checksum was computed.
    package var proof: PrefixProof?

    package init(generation: Int, durableLength: Int64, proof: PrefixProof? = nil) {
      self.generation = generation
      self.durableLength = durableLength
      self.proof = proof
    }
  }

  /// The new state of the file.
  package var state: ResumeState?
  package var checkpoint: Checkpoint?
  /// Whether a sync has failed: bytes written since the last successful one may be lost.
  package var hasFailedSync: Bool?
  /// The name that the finished file is about to get.
  package var finalName: EntryName?
  /// The episode's new address, if the podcast has one.
  package var url: String?

  /// Creates a line that changes nothing yet.
  package init() {}

  /// A sync has failed.
  package static var failedSync: PartialLine {
    var line = PartialLine()
    line.hasFailedSync = true
    return line
  }

  /// The new state of the file in the record.
  package static func state(_ state: ResumeState) -> PartialLine {
    var line = PartialLine()
    line.state = state
    return line
  }
}

extension PartialLine {
  /// Reads a line; a value that podget never writes is a `RecordProblem`.
  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    state = try members.decodeIfPresent(ResumeState.self, forKey: .state)
    checkpoint = try members.decodeIfPresent(Checkpoint.self, forKey: .checkpoint)
    hasFailedSync = try members.decodeIfPresent(Bool.self, forKey: .hasFailedSync)
    finalName = try members.decodeIfPresent(EntryName.self, forKey: .finalName)
    url = try members.decodeIfPresent(String.self, forKey: .url)
    if let checkpoint, checkpoint.durableLength < 0 { throw RecordProblem("a length is negative") }
  }
}

extension PartialRecord {
  /// Applies a line.
  mutating func take(_ line: PartialLine) {
    if let state = line.state { self.state = state }
    if let checkpoint = line.checkpoint { state?.take(checkpoint) }
    if line.hasFailedSync == true { state?.bootID = nil }
    if let finalName = line.finalName { self.finalName = finalName }
    if let url = line.url { episode.url = url }
  }
}

extension ResumeState {
  /// Applies how much is safe, if that is about this version.
  package mutating func take(_ checkpoint: PartialLine.Checkpoint) {
    guard checkpoint.generation == generation else { return }
    durableLength = max(durableLength, checkpoint.durableLength)
    if let proof = checkpoint.proof { add(proof) }
  }
}

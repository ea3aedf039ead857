package import PodcastModel
package import PodcastTransfer

/// A line of the record of an unfinished download, behind the first one: what has changed since.
///
/// A line counts as a whole or not at all, and each one only changes what it names: a power cut that
/// tears the last one leaves what the others say.
package struct PartialLine: Codable, Sendable, Hashable {
  /// How much of one version of the file is safe.
  package struct Checkpoint: Codable, Sendable, Hashable {
    /// The version; what is said of another one than the record's counts for nothing.
    package var generation: Int
    /// How many bytes from the beginning have been synced to the disk.
    package var durableLength: Int64
    /// What proves them in a copy of the file; nil where no checksum was computed.
    package var proof: PrefixProof?

    package init(generation: Int, durableLength: Int64, proof: PrefixProof? = nil) {
      self.generation = generation
      self.durableLength = durableLength
      self.proof = proof
    }
  }

  /// What the record says of the file from now on.
  package var state: ResumeState?
  package var checkpoint: Checkpoint?
  /// Whether a sync has failed: what was written since the last one that did not may be lost.
  package var hasFailedSync: Bool?
  /// The name that the finished file is about to get.
  package var finalName: EntryName?
  /// The episode's address, where the podcast names a new one.
  package var url: String?

  /// Makes a line that changes nothing yet.
  package init() {}

  /// A sync has failed.
  package static var failedSync: PartialLine {
    var line = PartialLine()
    line.hasFailedSync = true
    return line
  }

  /// The record says this of the file from now on.
  package static func state(_ state: ResumeState) -> PartialLine {
    var line = PartialLine()
    line.state = state
    return line
  }
}

extension PartialLine {
  /// Reads a line; what podget never writes is a `RecordProblem`.
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
  /// Takes over what a line says.
  mutating func take(_ line: PartialLine) {
    if let state = line.state { self.state = state }
    if let checkpoint = line.checkpoint { state?.take(checkpoint) }
    if line.hasFailedSync == true { state?.bootID = nil }
    if let finalName = line.finalName { self.finalName = finalName }
    if let url = line.url { episode.url = url }
  }
}

extension ResumeState {
  /// Notes how much is safe, if that is said of this version.
  package mutating func take(_ checkpoint: PartialLine.Checkpoint) {
    guard checkpoint.generation == generation else { return }
    durableLength = max(durableLength, checkpoint.durableLength)
    if let proof = checkpoint.proof { add(proof) }
  }
}

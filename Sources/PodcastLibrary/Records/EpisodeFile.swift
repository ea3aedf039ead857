package import PodcastModel

/// A file that belongs to an episode, in the folder of the record that names it.
package struct EpisodeFile: Codable, Sendable, Hashable {
  /// The role of what was published as the episode.
  static let media = "media"

  /// The purpose of the file; a reader keeps roles that it does not know.
  package var role: String
  /// Its name in the folder.
  package var path: EntryName
  /// Its length; nil if not known.
  package var bytes: Int64?
  /// Its SHA-256 in lower-case hex; nil if it was not computed.
  package var sha256: String?
  /// What proves that its audio is intact when its tags were changed; nil if that is not known.
  package var audio: AudioProof?

  package init(
    role: String, path: EntryName, bytes: Int64?, sha256: String?, audio: AudioProof? = nil
  ) {
    self.role = role
    self.path = path
    self.bytes = bytes
    self.sha256 = sha256
    self.audio = audio
  }
}

extension EpisodeFile {
  /// Reads a file of a line; a value that podget never writes is a `RecordProblem`.
  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    role = try members.decode(String.self, forKey: .role)
    path = try members.decode(EntryName.self, forKey: .path)
    bytes = try members.decodeIfPresent(Int64.self, forKey: .bytes)
    sha256 = try members.decodeIfPresent(String.self, forKey: .sha256)
    // Without it, or with what another podget means by it, the file is as well known as before.
    audio = try? members.decodeIfPresent(AudioProof.self, forKey: .audio)
    if let bytes, bytes < 0 { throw RecordProblem("\"bytes\" is negative") }
  }
}

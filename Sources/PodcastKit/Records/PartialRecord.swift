/// The file `KEY.json` beside a partial file: what was planned, and what a resumption must know.
///
/// It is written before the bytes that it speaks of, so that bytes never belong to a version that
/// the record does not name.
public struct PartialRecord: Codable, Sendable, Hashable {
  /// The layout that this podget writes.
  static let currentVersion = 1

  /// The layout of the record; a reader leaves alone what is newer than it knows.
  var version = PartialRecord.currentVersion
  var key: String
  var podcast: StoredPodcast
  var episode: StoredEpisode
  var folder: String
  var stem: String
  var announcedExtension: String
  /// What the last answer said; nil until one was accepted.
  var state: ResumeState?
  /// The name that the finished file is about to get, where it is not the planned one.
  var finalName: String?
  /// The recorded file that is fetched again on purpose; its record does not make this one needless.
  var replaces: String?
  /// When the episode was removed that is fetched all the same since the user named it (RFC 3339,
  /// UTC); a later removal is another one.
  var overridesRemoval: String?
  /// The code of a failure that trying again does not mend.
  var failure: PodgetError.Code?

  init(_ plan: DownloadPlan) {
    key = plan.key
    podcast = StoredPodcast(plan.podcast)
    episode = StoredEpisode(plan.episode)
    folder = plan.folder
    stem = plan.stem
    announcedExtension = plan.announcedExtension
  }

  /// The plan that the record keeps.
  public var plan: DownloadPlan {
    DownloadPlan(
      key: key, podcast: podcast.podcast, episode: episode.episode, folder: folder, stem: stem,
      announcedExtension: announcedExtension)
  }
}

/// Which version the bytes of a partial file belong to, and how many of them are safe.
public struct ResumeState: Codable, Sendable, Hashable {
  /// Counts the versions that the file has begun with.
  var generation: Int
  /// The address that finally answered. A resumption asks the original one first; where that leads
  /// to another version now, this one is tried once.
  var finalURL: String?
  var validator: Validator
  /// The length of the whole in bytes, when the server told it.
  var total: Int64?
  var contentType: String?
  /// How many bytes have been synced to the disk.
  var durableLength: Int64
  /// Which run of the machine wrote the bytes: within it the file's size can be trusted, after a
  /// power cut only the durable length.
  var bootID: String?
  var inode: UInt64
  /// The file system of the inode, a number that is good for one run of the machine; nil in records
  /// of earlier podgets.
  var device: UInt64?
  /// What proves of a copied file that its beginning is of this version, shortest first; nil where
  /// no checksum was computed.
  var proofs: [PrefixProof]?

  /// Remembers one more proof, in the place of the oldest when there are many.
  mutating func add(_ proof: PrefixProof) {
    let others = (proofs ?? []).filter { $0.length < proof.length }
    proofs = others.suffix(PrefixProof.limit - 1) + [proof]
  }

  /// Keeps the proofs of what is left of the file.
  mutating func keepProofs(upTo length: Int64) {
    proofs = proofs.map { $0.filter { $0.length <= length } }
  }
}

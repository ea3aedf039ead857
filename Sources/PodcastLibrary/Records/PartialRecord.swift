import FoundationEssentials
package import PodcastModel
package import PodcastTransfer

/// The file `KEY.json` beside a partial file: the plan, and what is needed to resume.
///
/// This is its first line; each following ``PartialLine`` changes something in it. It is written
/// before the bytes that it describes, so that bytes never belong to a version that the record does
/// not name.
package struct PartialRecord: Codable, Sendable, Hashable {
  /// The format version that this podget writes.
  static let currentVersion = 2

  /// The format version of the record; a reader ignores newer versions than it knows.
  package var version = PartialRecord.currentVersion
  package var key: EpisodeKey
  package var podcast: StoredPodcast
  package var episode: StoredEpisode
  package var folder: RelativePath
  package var stem: EntryName
  package var announcedExtension: String
  /// What the last answer said; nil until one was accepted.
  package var state: ResumeState?
  /// The name that the finished file is about to get, if it is not the planned one.
  package var finalName: EntryName?
  /// The recorded file that is downloaded again on purpose; its record does not make this one
  /// unnecessary.
  package var replaces: RelativePath?
  /// The time of the removal that this download overrides because the user named the episode (RFC
  /// 3339, UTC); a later removal is another one.
  package var overridesRemoval: String?
  /// Whether the user named the episode, so that no rule of `sync` removes it; nil if not.
  package var named: Bool?
  /// The code of a failure that a retry cannot fix.
  package var failure: PodgetError.Code?
  /// The HTTP status of that failure; nil for another one.
  package var failureStatus: Int?
  /// Whether a redirect led to that failure; nil if not.
  package var failureAfterRedirect: Bool?
  /// When it failed in that way (RFC 3339, UTC).
  package var failedAt: String?
  /// When it failed in such a way for the first time in a row (RFC 3339, UTC).
  package var failingSince: String?
  /// What is to be stored beside the finished file; nil for nothing.
  package var belongings: [PlannedBelonging]?
  /// What only the feed knows of tags that the file gets; nil for nothing.
  package var tags: PlannedTags?

  package init(_ plan: DownloadPlan) {
    key = plan.episodeKey
    podcast = StoredPodcast(plan.podcast)
    episode = StoredEpisode(plan.episode)
    folder = plan.file.folder
    stem = plan.file.stem
    announcedExtension = plan.file.fileExtension
    belongings = plan.belongings.isEmpty ? nil : plan.belongings
    tags = plan.tags
  }

  /// The plan that the record keeps.
  package var plan: DownloadPlan {
    var plan = DownloadPlan(
      key: key, podcast: podcast.podcast, episode: episode.episode,
      file: PlannedFile(folder: folder, stem: stem, fileExtension: announcedExtension))
    (plan.belongings, plan.tags) = (belongings ?? [], tags)
    return plan
  }
}

extension PartialRecord {
  /// Reads a record; a value that podget never writes is a `RecordProblem`.
  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    version = try members.decode(Int.self, forKey: .version)
    key = try members.decode(EpisodeKey.self, forKey: .key)
    podcast = try members.decode(StoredPodcast.self, forKey: .podcast)
    episode = try members.decode(StoredEpisode.self, forKey: .episode)
    folder = try members.decode(RelativePath.self, forKey: .folder)
    stem = try members.decode(EntryName.self, forKey: .stem)
    announcedExtension = try members.decode(String.self, forKey: .announcedExtension)
    state = try members.decodeIfPresent(ResumeState.self, forKey: .state)
    finalName = try members.decodeIfPresent(EntryName.self, forKey: .finalName)
    replaces = try members.decodeIfPresent(RelativePath.self, forKey: .replaces)
    overridesRemoval = try members.decodeIfPresent(String.self, forKey: .overridesRemoval)
    named = try? members.decodeIfPresent(Bool.self, forKey: .named)
    failure = try members.decodeIfPresent(PodgetError.Code.self, forKey: .failure)
    failureStatus = try members.decodeIfPresent(Int.self, forKey: .failureStatus)
    failureAfterRedirect = try members.decodeIfPresent(Bool.self, forKey: .failureAfterRedirect)
    failedAt = try members.decodeIfPresent(String.self, forKey: .failedAt)
    failingSince = try members.decodeIfPresent(String.self, forKey: .failingSince)
    // The episode is worth more than what belongs to it.
    belongings = try? members.decodeIfPresent([PlannedBelonging].self, forKey: .belongings)
    tags = try? members.decodeIfPresent(PlannedTags.self, forKey: .tags)
    guard PlannedFile.isExtension(announcedExtension) else {
      throw RecordProblem("\"announcedExtension\" is not the extension of a file")
    }
    if replaces?.text == "" { throw RecordProblem("\"replaces\" is not the path of a file") }
  }
}

extension PartialRecord {
  /// Whether a person asked for this very episode.
  var isWanted: Bool { named == true || overridesRemoval != nil }

  /// Notes how the download ended.
  ///
  /// - Parameters:
  ///   - error: a failure that a retry cannot fix; nil for any other.
  ///   - now: the time of day.
  mutating func end(_ error: PodgetError?, at now: Date) {
    failingSince = error == nil ? nil : failingSince ?? failedAt ?? now.timestamp
    failedAt = error == nil ? nil : now.timestamp
    failure = error?.code
    failureStatus = error?.httpStatus
    failureAfterRedirect = error?.circumstance == .afterRedirect ? true : nil
  }

  /// The failure, if it is for good. It is not if the server or a proxy only wants a login, which the
  /// user may give; nor if a redirect led to it, because the original address may lead elsewhere.
  var failureForGood: PodgetError.Code? {
    failureStatus == 401 || failureStatus == 407 || failureAfterRedirect == true ? nil : failure
  }
}

/// The version of the bytes in a partial file, and how many of them are safe.
package struct ResumeState: Codable, Sendable, Hashable {
  /// Counts the versions of the file so far.
  package var generation: Int
  /// The address that finally answered. A resumed download asks the original one first; if that
  /// leads to another version now, this one is tried once.
  package var finalURL: String?
  package var validator: Validator
  /// The length of the complete file in bytes, if the server announced it.
  package var total: Int64?
  package var contentType: String?
  /// How many bytes have been synced to the disk.
  package var durableLength: Int64
  /// The boot of the machine and the attachment of the disk in which the bytes were written: during
  /// these, the file's size can be trusted; after a power failure or an unplugged disk only the
  /// durable length can.
  package var bootID: String?
  package var inode: UInt64
  /// The file system of the inode, a number that is valid for one boot of the machine; nil in
  /// records of earlier podgets.
  package var device: UInt64?
  /// Proofs that the beginning of a copied file is of this version, shortest first; nil if no
  /// checksum was computed.
  package var proofs: [PrefixProof]?

  package init(
    generation: Int, finalURL: String? = nil, validator: Validator, total: Int64?,
    contentType: String? = nil,
    durableLength: Int64, bootID: String? = nil, inode: UInt64, device: UInt64? = nil,
    proofs: [PrefixProof]? = nil
  ) {
    self.generation = generation
    self.finalURL = finalURL
    self.validator = validator
    self.total = total
    self.contentType = contentType
    self.durableLength = durableLength
    self.bootID = bootID
    self.inode = inode
    self.device = device
    self.proofs = proofs
  }

  /// Adds a proof, and replaces the oldest one if there are many.
  package mutating func add(_ proof: PrefixProof) {
    let others = (proofs ?? []).filter { $0.length < proof.length }
    proofs = others.suffix(PrefixProof.limit - 1) + [proof]
  }

  /// Keeps the proofs for the rest of the file.
  package mutating func keepProofs(upTo length: Int64) {
    proofs = proofs.map { $0.filter { $0.length <= length } }
  }
}

extension ResumeState {
  /// More versions than any file can have, and far below what an addition could overflow.
  private static let generations = 0...1_000_000_000

  /// Reads a state; a value that podget never writes is a `RecordProblem`.
  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    generation = try members.decode(Int.self, forKey: .generation)
    finalURL = try members.decodeIfPresent(String.self, forKey: .finalURL)
    validator = try members.decode(Validator.self, forKey: .validator)
    total = try members.decodeIfPresent(Int64.self, forKey: .total)
    contentType = try members.decodeIfPresent(String.self, forKey: .contentType)
    durableLength = try members.decode(Int64.self, forKey: .durableLength)
    bootID = try members.decodeIfPresent(String.self, forKey: .bootID)
    inode = try members.decode(UInt64.self, forKey: .inode)
    device = try members.decodeIfPresent(UInt64.self, forKey: .device)
    proofs = try members.decodeIfPresent([PrefixProof].self, forKey: .proofs)
    guard Self.generations.contains(generation) else {
      throw RecordProblem("\"generation\" is not a count of versions")
    }
    guard durableLength >= 0, total ?? 0 >= 0 else {
      throw RecordProblem("a length is negative")
    }
  }
}

internal import CFiles
package import FoundationEssentials
import Glibc
package import PodcastModel
package import PodcastTransfer

/// One unfinished episode on the disk: the locked part file, its record, and the SHA-256 of its
/// bytes.
///
/// All methods block on the disk; there is one user at a time.
package struct PartialDownload: ~Copyable, Sendable {
  package let part: PartFile
  package let log: PartialLog
  /// The bytes in the part file that are known to be of one version.
  package private(set) var held: HeldBytes
  /// Whether there were bytes that nothing proved to be of the recorded version.
  package let lostBytes: Bool
  private var record: PartialRecord
  private let partials: PartialFolder
  private let flag: CancelFlag
  /// The SHA-256 of the part file, as far as it is computed; nil without a checksum.
  private var digest: PrefixDigest?
  /// The end of the space that is reserved for the file.
  private var reserved: Int64 = 0
  /// Whether the record's name, and not only its content, survives a power failure.
  private var isNameDurable = false
  /// Whether a checkpoint may have confirmed bytes since the record was read.
  private var hasCheckpointed = false
  /// Whether lines may have been added to the record.
  private var hasAddedLines = false

  /// Takes over a part file with its record, after it is decided how much of it can be trusted.
  init(
    _ part: PartFile, _ record: PartialRecord, _ trusted: TrustedBytes, in partials: PartialFolder,
    computesChecksum: Bool, flag: CancelFlag
  ) throws(DiskError) {
    var record = record
    let log = try partials.openLog(record.key.text)
    var isNameDurable = false
    var hasAddedLines = false
    if let state = trusted.state, state != record.state {
      record.state = state
      try log.append(.state(state), isDurable: true)
      try partials.synchronizeFolder()
      isNameDurable = true
      hasAddedLines = true
    }
    if computesChecksum {
      var digest = PrefixDigest()
      // The bytes of an earlier run are read once; later bytes are hashed as they arrive.
      _ = try digest.catchUp(with: part, to: trusted.held.count) { flag.isSet }
      self.digest = consume digest
    } else {
      digest = nil
    }
    self.part = part
    self.partials = partials
    self.flag = flag
    self.log = log
    self.record = record
    self.isNameDurable = isNameDurable
    self.hasAddedLines = hasAddedLines
    held = trusted.held
    lostBytes = trusted.lostBytes
  }

  /// Whether each byte that is appended is hashed.
  package var computesChecksum: Bool { digest != nil }

  /// The address that the bytes came from, if known.
  package var recordedURL: String? { record.state?.finalURL }

  /// Writes bytes after the existing ones, and hashes them.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) throws(DiskError) {
    try part.write(bytes, at: held.count)
    hashHeld()
    digest?.add(bytes, at: held.count)
    held.count += Int64(bytes.count)
  }

  /// Reads bytes back that are not hashed, after the file was cut. Bytes that cannot be read now are
  /// read at the end, or fail there.
  private mutating func hashHeld() {
    _ = try? digest?.catchUp(with: part, to: held.count) { [flag] in flag.isSet }
  }

  /// Keeps space reserved ahead of the written bytes, for a file of `total` bytes.
  package mutating func reserve(_ total: Int64) throws(DiskError) {
    guard reserved < total, held.count >= reserved else { return }
    reserved = try part.reserve(total, after: held.count)
  }

  /// Releases the space that is not needed until the next attempt, or the next run. A complete file
  /// uses its space.
  package mutating func release() {
    if reserved > held.count { part.release() }
    reserved = 0
  }

  /// Truncates the bytes, because the new version differs from there on.
  package mutating func cut(to length: Int64) throws(DiskError) {
    try part.truncate(to: length)
    // Even if something fails from here on, the later bytes are gone.
    digest?.cut(to: length)
    held.count = length
    reserved = 0
    try log.syncing { () throws(DiskError) in try part.synchronize() }
  }

  /// Makes the record name the version of an answer, before any of its bytes is appended.
  ///
  /// - Parameters:
  ///   - head: the answer.
  ///   - url: the address that it came from, without user name and password.
  ///   - total: the length of the file in bytes, if known.
  package mutating func begin(
    _ head: ResponseHead, from url: String, total: Int64?
  ) throws(DiskError) {
    if held.count == 0, try part.size() > 0 { try cut(to: 0) }
    // A coded answer's validators belong to the coded form, and its bytes are not a range of that.
    let validator = head.codings.isEmpty ? Validator(head) : Validator()
    let (status, count, before) = (try part.status(), held.count, record.state)
    let isWhole = count == 0 || !log.hasFailedSync
    var state = ResumeState(
      generation: before.map { $0.generation % 1_000_000_000 + 1 } ?? 1, finalURL: url,
      validator: validator, total: total,
      contentType: FieldValue.storable(head.first("Content-Type")),
      durableLength: min(before?.durableLength ?? 0, count),
      // What a failed sync may have lost of the beginning is still lost.
      bootID: isWhole ? partials.runID : nil,
      inode: status.inode, device: status.device, proofs: before?.proofs)
    // The common beginning of both versions is proven for this one too.
    state.keepProofs(upTo: count)
    // An empty part is worth nothing after a power failure, so its record can wait for the first
    // checkpoint. It cannot wait if the record on the disk confirms bytes of another version.
    let vouches = hasCheckpointed || before?.durableLength ?? 0 > 0
    try note(state, isDurable: count > 0 || vouches)
    if count == 0 {
      log.beginVersion()
    } else if log.hasFailedSync {
      // A sync failed while this was written, and the common beginning may be lost.
      record.state?.bootID = nil
      try log.append(.failedSync, isDurable: false)
    }
    hasCheckpointed = false
    held.validator = validator
    held.total = total
    reserved = 0
  }

  /// Records the length of the file in bytes, if the answers before did not announce one: an answer with
  /// another length has another version.
  package mutating func learn(total: Int64) throws(DiskError) {
    guard held.total == nil, var state = record.state else { return }
    state.total = total
    try note(state, isDurable: false)
    held.total = total
  }

  /// Makes the record name the episode's new address.
  package mutating func move(to url: String) throws(DiskError) {
    var line = PartialLine()
    line.url = url
    record.take(line)
    hasAddedLines = true
    try log.append(line, isDurable: true)
  }

  /// What is to be synced now; nil when there is nothing.
  package mutating func checkpoint() -> Checkpoint? {
    guard held.count > 0, let generation = record.state?.generation, !log.hasFailedSync
    else { return nil }
    hasCheckpointed = true
    hasAddedLines = true
    hashHeld()
    return Checkpoint(
      part: part, log: log, unnamed: isNameDurable ? nil : partials,
      proven: PartialLine.Checkpoint(
        generation: generation, durableLength: held.count,
        proof: digest?.proof(of: held.count) ?? nil))
  }

  /// Syncs the bytes and records how the download ended: a later run continues it.
  ///
  /// - Parameters:
  ///   - failure: a failure that a retry cannot fix; nil for any other.
  ///   - now: the time of day.
  package mutating func suspend(
    _ failure: PodgetError?, at now: Date
  ) throws(DiskError) {
    if held.count == 0 { part.remove() }
    var safe = checkpoint()
    do throws(DiskError) {
      if safe != nil { try log.syncing { () throws(DiskError) in try part.synchronizeData() } }
    } catch {
      // A smaller durable length is correct too.
      safe = nil
    }
    // Lines that checkpoints have added are only in the file.
    guard var record = try partials.read(self.record.key.text) else { return }
    let before = record
    if let safe { record.state?.take(safe.proven) }
    record.end(failure, at: now)
    // All of it becomes one line again.
    guard record != before || hasAddedLines || log.hasFailedSync else { return }
    try partials.write(record, .whole)
  }

  /// Does all that must be done to the file itself before it gets its name.
  ///
  /// Afterwards the bytes are safe, and the record identifies the file after a power failure
  /// between the rename and the line in the folder's record.
  package mutating func finish() throws(DiskError) -> Finish {
    let verdict = FileCheck.verdict(
      start: try part.bytes(FileCheck.windowSize, at: 0), isWhole: true)
    if case .text(let kind) = verdict {
      // This content can never become an episode.
      part.remove()
      return .notAudio(kind)
    }
    let total = held.count
    try part.truncate(to: total)
    part.takeMediaMode()
    if let date = record.episode.episode.date {
      part.setModificationTime(date.timeIntervalSince1970)
    }
    guard !log.hasFailedSync else { throw DiskError(EIO, "sync", part.name) }
    if var state = record.state, state.total != total {
      state.total = total
      try note(state, isDurable: false)
    }
    try log.synchronize()
    try log.syncing { () throws(DiskError) in try part.synchronize() }
    var sha256: String?
    if var digest = digest.take() {
      let isWhole = try digest.catchUp(with: part, to: total) { [flag] in flag.isSet }
      sha256 = isWhole ? digest.finish() : nil
      guard sha256 != nil else {
        if flag.isSet { throw .cancelled("read", part.name) }
        throw .noChecksum(of: part.name)
      }
    }
    let plan = record.plan
    if let wrong = try mismatch(plan.episode.enclosure, sha256) { return .mismatch(wrong) }
    let fileExtension =
      if case .media(let found) = verdict {
        FileCheck.fileExtension(found: found, announced: plan.announcedExtension)
      } else {
        plan.announcedExtension
      }
    var order = Committer.Order(
      plan: plan, part: part, log: log, finalName: record.finalName,
      fileExtension: fileExtension, bytes: total, sha256: sha256,
      audio: sha256.flatMap { _ in AudioProof.known(of: part) }, isReceived: true,
      replaces: record.replaces, flag: flag)
    order.isKept = record.isWanted
    return .ready(order)
  }

  /// The result of ``finish()``.
  package enum Finish: Sendable {
    case ready(Committer.Order)
    /// The content is some kind of text, which is never an episode.
    case notAudio(FileCheck.TextKind)
    /// The file has none of the hashes of this algorithm that the feed announces.
    case mismatch(MediaIntegrity.Algorithm)
  }

  /// The algorithm of the announced hashes, if the file has none of them.
  private func mismatch(
    _ enclosure: Enclosure, _ sha256: String?
  ) throws(DiskError) -> MediaIntegrity.Algorithm? {
    guard let integrity = enclosure.integrity.flatMap(MediaIntegrity.init) else { return nil }
    var found = integrity.algorithm == .sha256 ? sha256 : nil
    if found == nil { found = try part.checksum(integrity.algorithm) { [flag] in flag.isSet } }
    return found.map(integrity.digests.contains) == true ? nil : integrity.algorithm
  }

  private mutating func note(_ state: ResumeState, isDurable: Bool) throws(DiskError) {
    record.state = state
    hasAddedLines = true
    try log.append(.state(state), isDurable: isDurable)
    if isDurable, !isNameDurable {
      try partials.synchronizeFolder()
      isNameDurable = true
    }
  }
}

extension PartialDownload {
  /// The bytes at one moment, to be synced on any thread while more are written.
  package struct Checkpoint: Sendable {
    fileprivate let part: PartFile
    fileprivate let log: PartialLog
    /// The folder of the record, if the record's name may not survive a power failure.
    fileprivate let unnamed: PartialFolder?
    /// The new state of the file.
    fileprivate let proven: PartialLine.Checkpoint

    /// Syncs the bytes and adds that to the record; it blocks on the disk.
    package func write() throws(DiskError) {
      guard !log.hasFailedSync else { return }
      try log.syncing { () throws(DiskError) in try part.synchronizeData() }
      // Another sync of the file may have failed in the meantime.
      guard !log.hasFailedSync else { return }
      var added = PartialLine()
      added.checkpoint = proven
      try log.append(added, isDurable: true)
      try unnamed?.synchronizeFolder()
    }
  }
}

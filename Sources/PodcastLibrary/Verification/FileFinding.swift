public import PodcastModel

/// The result of the verification of one file.
public struct FileFinding: Sendable, Hashable {
  /// The status of a file; the raw values are the contract with scripts.
  public enum Status: String, Sendable, Hashable, CaseIterable {
    /// Its bytes match the record, and its audio is not truncated.
    case ok
    /// Nothing is wrong, but something is unusual, or there is no recorded checksum to compare
    /// with.
    case warning
    /// Its tags differ from those that were downloaded, and its audio is intact.
    case changed
    /// Its length or its bytes differ from the record, or parts of it contradict each other.
    case damaged
    /// Its bytes match the record, or there is no checksum, and its audio ends too early.
    case truncated
    /// It is on record, but it is not there.
    case missing
    /// Its bytes cannot be read.
    case unreadable
    /// No record names it.
    case untracked
    /// A partial download, which `resume` continues.
    case partial

    /// Whether something is wrong with an episode.
    public var isProblem: Bool {
      switch self {
      case .damaged, .truncated, .missing, .unreadable: true
      case .ok, .warning, .changed, .untracked, .partial: false
      }
    }
  }

  /// The path relative to the library.
  public var path: String
  /// The podcast; of an untracked file the one of its folder.
  public var podcast: Podcast
  /// The episode with its plan; nil for an untracked file.
  public var plan: DownloadPlan?
  /// The status.
  public var status: Status
  /// One sentence about what is wrong or, for a warning, unusual; it does not name the file.
  public var problem: String?
  /// How many bytes there are; 0 when it is missing.
  public var bytes: Int64 = 0
  /// The SHA-256 of the current file in lower-case hex; nil when it was not read to its end.
  public var sha256: String?
  /// The duration by its own structure, if the structure has one.
  public var duration: Duration?
  /// Whether it was wrong and was downloaded again.
  public var isRepaired = false
  /// Whether it differed from its record, and is recorded as it is now.
  public var isAccepted = false
  /// Whether a user may record it as it is now: its audio is intact, or it cannot be compared with the
  /// recorded one and its structure is intact.
  package var isAcceptable = false

  /// Whether it is recorded as it is now when the user accepts changes. Where nothing proves that the
  /// audio is intact, the disk may have changed it: then the user must say which file is meant.
  ///
  /// - Parameter isNamed: whether the user named its podcast, and wants no repair.
  package func mayBeAccepted(isNamed: Bool) -> Bool {
    isAcceptable && (status == .changed || isNamed)
  }
}

extension FileFinding {
  private static let changedTags =
    "Its audio is intact, and its tags are not those that were downloaded."
  private static let noChecksum = "There is no checksum on record to compare it with."

  /// Whether the only remark about the file is that it is recorded without a checksum.
  public var onlyLacksChecksum: Bool { status == .warning && problem == Self.noChecksum }

  /// The finding for something that is not a recorded file.
  public init(_ other: LibraryInventory.Other) {
    let status: Status = other.plan == nil ? .untracked : .partial
    self.init(
      path: other.path, podcast: other.podcast, plan: other.plan,
      status: other.problem == nil ? status : .unreadable, problem: other.problem,
      bytes: other.bytes)
  }

  /// The finding for a recorded file that could not be read at all.
  package init(_ file: RecordedFile, _ status: Status, _ problem: String) {
    self.init(
      path: file.path, podcast: file.plan.podcast, plan: file.plan, status: status,
      problem: problem)
  }

  /// Judges a file beside that of an episode: a person may have changed it.
  init(belonging file: RecordedFile, bytes: Int64, sha256: String) {
    let isChanged = file.differs(bytes: bytes, sha256: sha256)
    self.init(
      file, isChanged ? .changed : .ok, "Its bytes are not those that podget has written.")
    if !isChanged { problem = nil }
    self.bytes = bytes
    self.sha256 = sha256
  }

  /// What is known of the audio of a file that differs from its record.
  package enum Audio: Sendable {
    /// It is the recorded one.
    case same
    /// It is another one.
    case other
    /// There is nothing to compare it with.
    case unknown
  }

  /// Judges a file that was read to its end.
  ///
  /// If it differs from the record, it is damaged, whatever its audio looks like. An incomplete end
  /// counts as truncated only if the published duration says so too: many files are published like
  /// that. Parts that fail their own checks were published so if the checksum is correct.
  package init(
    _ file: RecordedFile, bytes: Int64, sha256: String, structure: AudioStructure,
    audio: Audio = .unknown
  ) {
    self.init(file, .ok, "")
    problem = nil
    self.bytes = bytes
    self.sha256 = sha256
    duration = structure.duration
    let published = file.plan.episode.duration
    if audio == .same, file.differs(bytes: bytes, sha256: sha256) {
      status = .changed
      problem = Self.changedTags
      isAcceptable = true
    } else if let wanted = file.bytes, wanted != bytes {
      status = .damaged
      problem = "It has \(bytes) bytes, and \(wanted) are on record."
    } else if let wanted = file.sha256, wanted.lowercased() != sha256 {
      status = .damaged
      problem = "Its bytes are not those that were downloaded: the checksum differs."
    } else if file.sha256 == nil, let reason = structure.damage {
      status = .damaged
      problem = reason
    } else if let reason = Self.cut(structure, published: published) {
      status = .truncated
      problem = reason
    } else if let reason = Self.oddity(structure, published: published) {
      status = .warning
      problem = reason
    } else if file.sha256 == nil {
      status = .warning
      problem = Self.noChecksum
    }
    guard status == .damaged, audio == .unknown,
      structure.ending == .whole || structure.ending == .unmarked,
      structure.damage == nil, let reason = problem
    else { return }
    // Whether a byte of the audio differs, its structure does not show.
    isAcceptable = true
    problem = "\(reason) The structure of its audio is intact: its tags or its audio were changed."
  }

  /// Why a file counts as truncated; nil when it does not.
  package static func cut(_ structure: AudioStructure, published: Duration?) -> String? {
    switch structure.ending {
    case .cut(let reason): return reason
    case .open(let reason):
      guard let published, let played = structure.duration,
        published - played > AudioStructure.tolerance(published)
      else { return nil }
      return "\(reason.dropLast()), and it plays \(words(played)) of the published "
        + "\(words(published))."
    case .whole, .unmarked, .unknown: return nil
    }
  }

  private static func oddity(_ structure: AudioStructure, published: Duration?) -> String? {
    if let damage = structure.damage { return damage }
    if let published, published > .zero, let played = structure.duration {
      let difference = played > published ? played - published : published - played
      // Inserted advertisements change the length of most episodes a little.
      if difference > max(.seconds(120), published / 10) {
        return "It plays \(words(played)), and \(words(published)) were published."
      }
    }
    if case .open(let reason) = structure.ending { return reason }
    return nil
  }

  /// A duration such as `1:02:03` or `4:05`.
  private static func words(_ duration: Duration) -> String {
    let seconds = duration.components.seconds
    func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let rest = "\(twoDigits(seconds % 60))"
    return seconds < 3600
      ? "\(seconds / 60):\(rest)" : "\(seconds / 3600):\(twoDigits(seconds / 60 % 60)):\(rest)"
  }
}

import PodcastKit

/// What happened to an episode, in words: a verb, the episode, and details.
///
/// Everything in it is safe for a terminal.
struct EventText: Sendable, Hashable {
  /// How the event is marked.
  enum Severity: Sendable, Hashable {
    case good, bad, neutral
  }

  /// The verb that begins a plain line, such as `finished`.
  var verb: String
  /// The episode's title, with its podcast's if there are several podcasts.
  var title: String
  /// The details after the title; empty when there are none.
  var detail: String
  /// Whether the event is good, bad or neutral.
  var severity = Severity.neutral

  /// The words for an event; nil if the verbosity hides it.
  ///
  /// - Parameters:
  ///   - event: happened, or would happen.
  ///   - verbosity: how much is written.
  ///   - namesPodcast: whether the title begins with the podcast's.
  ///   - isDryRun: whether nothing really happens.
  init?(
    _ event: DownloadEvent, verbosity: Verbosity, namesPodcast: Bool, isDryRun: Bool = false
  ) {
    guard let (verb, detail, severity) = Self.words(event, verbosity, isDryRun) else { return nil }
    let episode = TerminalText.safe(event.plan.episode.title)
    let podcast = TerminalText.safe(event.plan.podcast.shownTitle)
    self.verb = verb
    self.title = namesPodcast ? "\(podcast): \(episode)" : episode
    self.detail = TerminalText.safe(detail)
    self.severity = severity
  }

  /// A heading for a podcast: its title and its author.
  static func heading(_ podcast: Podcast, _ style: TerminalStyle) -> String {
    let title = TerminalText.safe(podcast.shownTitle)
    guard let author = podcast.author.map(TerminalText.safe), !author.isEmpty, author != title
    else { return title }
    return "\(title) \(style.dash) \(author)"
  }

  /// A source that could not be read, and why.
  static func failure(of source: String, _ error: PodgetError) -> String {
    let message = AddressRedaction.shown(in: error.sentence)
    return TerminalText.safe("\(AddressRedaction.shown(source)): \(message)")
  }

  /// Why a file could not be stored beside an episode; nil if it was.
  static func failure(of event: BelongingEvent) -> String? {
    guard case .failure(let error) = event.result else { return nil }
    return "Warning: \(failure(of: "\(event.episode.title): \(noun(event.kind))", error))"
  }

  /// What became of a file beside an episode; nil if the verbosity hides it.
  static func sentence(about event: BelongingEvent, verbosity: Verbosity) -> String? {
    if let failure = failure(of: event) { return failure }
    guard verbosity >= .verbose, let path = try? event.result.get() else { return nil }
    return TerminalText.padded("stored", to: 11) + "  \(path)"
  }

  private static func noun(_ kind: Belonging) -> String {
    switch kind {
    case .transcript: "no transcript"
    case .chapters: "no chapters"
    case .notes: "no notes"
    case .artwork: "no artwork"
    case .cover: "no cover"
    }
  }

  /// What a check of a feed found; nil if there is nothing to say, or the verbosity hides it.
  static func sentence(about check: FeedCheck, verbosity: Verbosity) -> String? {
    let title = check.podcast.shownTitle
    var sentences: [String] = []
    if let movedTo = check.movedTo { sentences.append("\(title) moved to \(movedTo).") }
    switch check.result {
    case .gone:
      sentences.append("\(title) is gone: its server says so for the second time (HTTP 410).")
    case .deferred where verbosity > .quiet:
      let time = check.notBefore?.timestamp ?? "later"
      sentences.append("\(title) is not asked before \(time).")
    case .unchanged where verbosity == .verbose: sentences.append("\(title) has not changed.")
    case .unchanged, .read, .deferred: break
    }
    if check.olderAdded > 0 {
      let older = check.olderAdded == 1 ? "1 older episode" : "\(check.olderAdded) older episodes"
      sentences.append("\(title) lists \(older) for the first time; --all takes the archive.")
    }
    if check.waiting > 0, check.newlyWaiting > 0 || check.remindsOfWaiting {
      let (new, wait) =
        check.waiting == 1
        ? ("1 new episode", "waits") : ("\(check.waiting) new episodes", "wait")
      let accept = "podget sync \(check.name) --accept downloads"
      let them = check.waiting == 1 ? "it" : "them"
      switch check.unlistedWaiting {
      case ...0:
        sentences.append(
          "\(new) of \(title) \(wait), since very many came at once; \(accept) \(them).")
      case check.waiting...:
        sentences.append(
          "\(new) of \(title) \(wait), but the feed does not list \(them) now; \(accept) \(them) "
            + "when it does.")
      case let count:
        sentences.append(
          "\(new) of \(title) \(wait), \(count) of which the feed does not list now; \(accept) the "
            + "others.")
      }
    }
    return sentences.isEmpty ? nil : sentences.joined(separator: " ")
  }

  /// A number of files in words.
  static func files(_ count: Int) -> String { count == 1 ? "1 file" : "\(count) files" }

  /// A count with its noun: `1 episode`, `5 episodes`.
  static func episodes(_ count: Int) -> String {
    count == 1 ? "1 episode" : "\(count) episodes"
  }

  /// Why another attempt is needed, in a few words.
  static func reason(_ code: PodgetError.Code) -> String {
    switch code {
    case .network: "connection lost"
    case .timeout: "timeout"
    case .tls: "no secure connection"
    case .httpStatus: "server error"
    case .redirect: "bad redirect"
    case .rangeProtocol: "server contradicts itself"
    case .incomplete: "incomplete"
    case .emptyBody: "empty answer"
    case .notAudio: "not audio"
    case .diskFull: "disk full"
    case .disk: "disk error"
    case .notFound: "not found"
    case .decoding: "unreadable answer"
    case .command: "command"
    }
  }
}

extension EventText {
  private static func words(
    _ event: DownloadEvent, _ verbosity: Verbosity, _ isDryRun: Bool
  ) -> (verb: String, detail: String, severity: Severity)? {
    if case .failed(let error) = event.kind {
      return ("failed", AddressRedaction.shown(in: error.sentence), .bad)
    }
    guard verbosity > .quiet else { return nil }
    switch event.kind {
    case .planned:
      return verbosity == .verbose ? ("planned", event.plan.path, .neutral) : nil
    case .started(0): return ("downloading", "", .neutral)
    case .started(let kept): return ("resuming", "from \(ByteText.size(kept))", .neutral)
    case .progress, .failed: return nil
    case .paused: return ("paused", "", .neutral)
    case .resumed: return ("continuing", "", .neutral)
    case .retrying(let attempt, let delay, let reason):
      let what = "\(Self.reason(reason)); attempt \(attempt) in \(DurationText.delay(delay))"
      return ("retrying", what, .neutral)
    case .restarted(let reason): return ("restarting", sentence(reason), .neutral)
    case .finished(let file):
      let size = ByteText.size(file.bytes)
      guard verbosity == .verbose else { return ("finished", size, .good) }
      let sum = file.sha256.map { "  sha256 \($0)" } ?? ""
      return ("finished", "\(size)  \(file.path)\(sum)", .good)
    case .skipped(_, .forgotten) where isDryRun: return ("skipped", "would be forgotten", .neutral)
    // The summary counts them.
    case .skipped(_, let reason) where reason.isPostponed && verbosity < .verbose: return nil
    case .skipped(_, let reason): return ("skipped", sentence(reason), .neutral)
    case .cancelled(let received):
      return ("cancelled", received > 0 ? "\(ByteText.size(received)) kept" : "", .neutral)
    }
  }

  private static func sentence(_ reason: RestartReason) -> String {
    switch reason {
    case .changed: "the server has another version now"
    case .noValidator: "the server does not identify versions of the file"
    case .rangeProtocol: "the server contradicts itself about ranges"
    case .rangeIgnored: "the server cannot send a part of the file"
    case .overlapDiffers: "the server's bytes differ from those on the disk"
    }
  }

  /// The option because of which an episode is left for later.
  static func limit(_ reason: SkipReason) -> String {
    reason == .maxBytes ? "--max-bytes" : "--keep-free"
  }

  /// Why there is nothing to do for an episode, in a few words.
  static func sentence(_ reason: SkipReason) -> String {
    switch reason {
    case .alreadyDownloaded: "already downloaded"
    case .inProgressElsewhere: "another podget is downloading it"
    case .removed: "removed before"
    case .forgotten: "forgotten"
    case .maxBytes, .keepFree: "left for later (\(limit(reason)))"
    }
  }
}

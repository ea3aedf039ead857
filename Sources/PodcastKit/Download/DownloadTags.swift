import FoundationEssentials
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// Writes missing tags into files that have been received, before they get their names, if the user wants
/// that.
///
/// What fails is a note, and the file is stored as it was received.
struct DownloadTags: Sendable {
  private let library: Library
  private let isUsual: Bool
  private let keptFree: Int64
  private let subscribed: SubscribedSettings
  private let credentials: OriginCredentials
  private let program: Result<TagProgram, PodgetError>
  private let completion: TagCompletion?
  private let now: @Sendable () -> Date
  private let note: @Sendable (String) -> Void
  private let said = SaidOnce()
  /// Tagging waits for another process, so it does not keep the threads of transfers.
  private let disk = DiskPool(threads: Processors.count)

  /// Creates it for a run.
  ///
  /// - Parameters:
  ///   - subscribed: say which podcasts are private.
  ///   - credentials: what feeds and files are requested with.
  ///   - source: gets what feeds lead to; nil if nothing is requested.
  ///   - note: gets sentences for the user.
  init(
    _ library: Library, _ options: DownloadOptions, _ subscribed: SubscribedSettings,
    _ credentials: OriginCredentials, _ source: BelongingRequests?,
    _ now: @escaping @Sendable () -> Date, note: @escaping @Sendable (String) -> Void
  ) {
    self.library = library
    isUsual = options.writesTags
    keptFree = options.keptFreeBytes ?? 0
    (self.subscribed, self.credentials) = (subscribed, credentials)
    completion = source.map(TagCompletion.init)
    self.now = now
    self.note = note
    do throws(PodgetError) {
      program = .success(
        try TagProgram(besides: options.program ?? InstalledProgram.running))
    } catch {
      program = .failure(error)
    }
  }

  /// Whether a file gets tags: it was planned with them, or this run writes them.
  func wants(_ plan: DownloadPlan) -> Bool {
    subscribed.writesTags(plan.podcast, or: isUsual || plan.tags != nil)
  }

  /// The tags that a file should have: what the plan knows, and of what is missing in the file, what
  /// the feed leads to.
  func request(for plan: DownloadPlan, _ part: PartFile?, _ flag: CancelFlag) async -> TagRequest {
    let isPrivate =
      subscribed.own(of: plan.podcast).isPrivate
      || credentials.areUsed(for: plan.episode, of: plan.podcast)
    let request = TagRequest(plan.episode, of: plan.podcast, isPrivate: isPrivate)
    guard let planned = plan.tags, let part, let completion, let tagger = tagger(flag) else {
      return request
    }
    let missing = await disk.perform { tagger.missingDetails(in: part) }
    return await completion.complete(
      request, of: plan.episode, in: plan.podcast, with: planned, missing: missing, note: note)
  }

  /// The order with a tagged copy; the same order if that is not to be had.
  func tagged(
    _ order: Committer.Order, _ request: TagRequest, _ flag: CancelFlag
  ) async -> Committer.Order {
    guard let tagger = tagger(flag) else { return order }
    let title = order.plan.episode.title
    let (library, keptFree) = (library, keptFree)
    return await disk.perform {
      // A copy of it is needed for a moment.
      guard library.hasRoom(for: Int(clamping: order.bytes), keeping: keptFree) else {
        note("\(title): It gets no tags: the disk has no room for a copy of it.")
        return order
      }
      do throws(TagRefusal) {
        let tagged = try tagger.tagged(order, request)
        if let omission = tagged.tagged?.omission { note("\(title): \(omission)") }
        return tagged
      } catch {
        // What was stopped needs no words.
        if !flag.isSet { note("\(title): \(error.sentence)") }
        return order
      }
    }
  }

  /// What writes tags; nil, which is said once, if the program is not installed.
  private func tagger(_ flag: CancelFlag) -> EpisodeTagger? {
    do throws(PodgetError) {
      return EpisodeTagger(library, writer: try program.get(), flag: flag, now: now)
    } catch {
      let sentence = "Files get no tags: \(error.message)"
      if said.isFirst(sentence) { note(sentence) }
      return nil
    }
  }
}

import FoundationEssentials
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// Writes missing tags into files that were downloaded, if the user wants that.
///
/// The file is complete and recorded before that. What fails is a note, and the file stays as it was
/// received.
struct FinishedTags: Sendable {
  private let library: Library
  private let isUsual: Bool
  private let subscribed: SubscribedSettings
  private let program: Result<TagProgram, PodgetError>
  private let now: @Sendable () -> Date
  private let note: @Sendable (String) -> Void
  private let said = SaidOnce()

  /// Creates it for a run.
  ///
  /// - Parameter note: gets sentences for the user.
  init(
    _ library: Library, _ options: DownloadOptions, _ subscribed: SubscribedSettings,
    _ now: @escaping @Sendable () -> Date, note: @escaping @Sendable (String) -> Void
  ) {
    self.library = library
    isUsual = options.writesTags
    self.subscribed = subscribed
    self.now = now
    self.note = note
    do throws(PodgetError) {
      program = .success(
        try TagProgram(besides: options.program ?? InstalledProgram.running))
    } catch {
      program = .failure(error)
    }
  }

  /// Whether the files of a podcast get tags.
  func wants(_ podcast: Podcast) -> Bool { subscribed.own(of: podcast).writesTags ?? isUsual }

  /// The file with what was missing; it blocks on the disk.
  func tag(_ file: FinishedFile, of plan: DownloadPlan, _ flag: CancelFlag) -> FinishedFile {
    let program: TagProgram
    do throws(PodgetError) {
      program = try self.program.get()
    } catch {
      let sentence = "Files get no tags: \(error.message)"
      if said.isFirst(sentence) { note(sentence) }
      return file
    }
    guard let local = try? library.recorded(plan), local.status == .complete else { return file }
    let tagged = EpisodeTagger(library, writer: program, flag: flag, now: now)
      .tag(
        local,
        TagRequest(
          local.episode, of: plan.podcast, isPrivate: subscribed.own(of: plan.podcast).isPrivate))
    // What was stopped needs no words.
    if !flag.isSet, let sentence = tagged.error?.message ?? tagged.problem {
      note("\(local.title): \(sentence)")
    }
    guard tagged.status == .tagged else { return file }
    var file = file
    (file.bytes, file.sha256) = (tagged.local.bytes, tagged.local.sha256)
    return file
  }
}

import BrowseScreen
import FoundationEssentials
import Glibc
import PodcastBrowse
import PodcastKit

/// The one player: what it plays, and what was recorded of that.
struct BrowsePlaying {
  let key: String
  let title: String
  let path: String
  let process: PlayerProcess
  /// What ends when the player has ended and all is recorded.
  var task: Task<Void, Never>?
  var state = PlayerState()
  /// The position in the record, in whole seconds.
  var recorded: Duration?
  /// When it was recorded last.
  var recordedAt = ContinuousClock.now

  /// How often the position is recorded while an episode plays.
  private static let recordInterval = Duration.seconds(60)

  /// Whether the position is to be recorded now: at a pause, and from time to time.
  ///
  /// - Parameter before: the state before this one.
  func isRecordDue(after before: PlayerState, at now: ContinuousClock.Instant) -> Bool {
    guard state.isControlled, Self.position(state.position) != recorded else { return false }
    return state.isPaused && !before.isPaused
      || recordedAt.duration(to: now) >= Self.recordInterval
  }

  /// A position as it is recorded: the first seconds are the start.
  static func position(_ position: Duration?) -> Duration? {
    guard let position, position >= .seconds(5) else { return nil }
    return .seconds(position.components.seconds)
  }
}

/// Playing episodes.
extension BrowseEngine {
  /// Plays an episode instead of the one that plays.
  ///
  /// - Parameter start: where it begins; nil for where it was left.
  func play(_ key: String, from start: Duration?) async throws(PodgetError) {
    let (episode, _) = try await local(key)
    guard episode.status == .complete else {
      throw PodgetError(.notFound, "The file is not there any more.")
    }
    let speed = playing?.state.speed ?? lastSpeed
    await endPlaying()
    guard !isStopping else { return }
    let path = "\(library.path)/\(episode.path)"
    // Another program may run in another folder, and may take `a:b` for an address.
    let isAbsolute = path.hasPrefix("/")
    let folder = isAbsolute ? "" : "\(FileManager.default.currentDirectoryPath)/"
    let process = PlayerProcess(PlayerCommand(settings.player), folders: Self.privateFolders)
    var new = BrowsePlaying(
      key: key, title: episode.title, path: folder + path, process: process)
    new.recorded = episode.position
    let from = start ?? episode.position
    let (states, continuation) = AsyncStream.makeStream(
      of: PlayerState.self, bufferingPolicy: .bufferingNewest(1))
    playing = new
    let file = new.path
    // Not a child of the task that asks: this one ends with the player.
    showPlaying()
    playing?.task = Task {
      let follower = Task { for await state in states { await self.take(state, of: key) } }
      let result = await BlockingWork.run {
        process.play(file, from: from, speed: speed) { continuation.yield($0) }
      }
      continuation.finish()
      await follower.value
      await self.end(result?.0 ?? .stopped, result?.1 ?? PlayerState(), of: key)
    }
  }

  /// Where folders for sockets may be, the best one first.
  private static var privateFolders: [String] {
    let variables: [String] = ["XDG_RUNTIME_DIR", "TMPDIR"]
    return variables.compactMap { name in getenv(name).map { String(cString: $0) } } + ["/tmp"]
  }

  /// Asks the player for something.
  func control(_ request: PlayerRequest) {
    guard let playing else { return send(.message("Nothing is being played.")) }
    if !playing.process.send(request) {
      send(.message("The player cannot be controlled; O ends it."))
    }
  }

  /// Ends the player, and waits until what it played is recorded.
  func endPlaying() async {
    guard let playing else { return }
    playing.process.cancel()
    await playing.task?.value
  }

  /// Lets the player go on when this process ends; what it plays is recorded as far as it is.
  func leavePlaying() async {
    guard let playing else { return }
    self.playing = nil
    playing.process.leave()
    await record(playing.state.position, of: playing.key, since: playing.recorded)
  }

  private func take(_ state: PlayerState, of key: String) async {
    guard let before = playing?.state, playing?.key == key else { return }
    playing?.state = state
    showPlaying()
    guard let playing, playing.isRecordDue(after: before, at: .now) else { return }
    let recorded = await record(state.position, of: key, since: playing.recorded)
    self.playing?.recorded = recorded
    self.playing?.recordedAt = .now
  }

  private func showPlaying() {
    send(
      .player(playing.map { PlayedEpisode(key: $0.key, title: $0.title, state: $0.state) }))
  }

  private func end(_ ending: PlayerEnding, _ state: PlayerState, of key: String) async {
    guard let playing, playing.key == key else { return }
    lastSpeed = state.speed
    let position = state.position ?? playing.state.position
    switch ending {
    case .finished: await record([.played(true)], of: key)
    case .stopped: await record(position, of: key, since: playing.recorded)
    case .failed(let sentence):
      await record(position, of: key, since: playing.recorded)
      send(.error(sentence))
    case .notStarted(let failure): playOtherwise(playing.path, because: failure)
    }
    self.playing = nil
    showPlaying()
  }

  /// Plays a file with the system's program, if no other one was wanted.
  private func playOtherwise(_ path: String, because failure: ProgramStart.Failure) {
    let command = PlayerCommand(settings.player)
    guard !command.isNamed, failure.number == ENOENT else {
      let setting = command.isNamed ? "; the setting player names it" : ""
      return send(.error("\(command.name) cannot be run: \(failure.explanation)\(setting)."))
    }
    send(
      system.open(path)
        ? .message("mpv is not installed: xdg-open plays it, and podget cannot control that.")
        : .error("Neither mpv nor xdg-open is installed; install one to play episodes."))
  }

  /// Records a position, unless it is the one that is recorded.
  ///
  /// - Returns: the position in the record.
  @discardableResult
  private func record(
    _ position: Duration?, of key: String, since recorded: Duration?
  ) async -> Duration? {
    guard let position else { return recorded }
    let new = BrowsePlaying.position(position)
    guard new != recorded else { return recorded }
    return await record([.position(new)], of: key) ? new : recorded
  }

  @discardableResult
  private func record(_ marks: [EpisodeMark], of key: String) async -> Bool {
    let episodes = await reading([key]).episodes.filter { $0.key == key }
    do throws(PodgetError) {
      for marked in try await write(marks, of: episodes) {
        send(.marked(key, isPlayed: marked.isPlayed, position: marked.position))
      }
      return true
    } catch {
      send(.error("Where playing continues is not recorded. \(error.said)"))
      return false
    }
  }
}

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
  /// Where it began.
  var start = Duration.zero
  /// What the record said when it was looked at last, and what was recorded since.
  var recorded = Recorded()
  /// Whether somebody has marked the episode as played while it plays. Only its end counts then.
  var isSettled = false
  /// When it was recorded last.
  var recordedAt = ContinuousClock.now
  /// Whether the listener has gone to another place since.
  var hasSought = false

  /// How often the position is recorded while an episode plays.
  private static let recordInterval = Duration.seconds(60)
  /// How often it is recorded while the listener looks for a place.
  private static let seekInterval = Duration.seconds(3)

  /// What a record says about playing.
  struct Recorded: Sendable, Hashable {
    var isPlayed = false
    /// In whole seconds.
    var position: Duration?
  }

  /// Whether a position is to be recorded: not over what somebody has said since the last look, here or
  /// in another podget.
  ///
  /// - Parameter now: what the record says.
  mutating func mayRecord(_ position: Duration, over now: Recorded) -> Bool {
    guard now == recorded else {
      isSettled = now.isPlayed && (isSettled || !recorded.isPlayed)
      recorded = now
      return false
    }
    return !isSettled && Self.position(position) != recorded.position
  }

  /// Whether a file that has ended was played: its last position is near its end. A file that was cut ends
  /// earlier than it says.
  static func isPlayed(_ state: PlayerState) -> Bool {
    guard let position = state.position, let duration = state.duration else { return true }
    return position >= duration - max(.seconds(60), duration / 10)
  }

  /// Whether the position is to be recorded now: at a pause, behind a seek, and from time to time.
  ///
  /// - Parameter before: the state before this one.
  mutating func isRecordDue(after before: PlayerState, at now: ContinuousClock.Instant) -> Bool {
    if let from = before.position, let to = state.position {
      // Positions come each second, at twice the speed each two seconds of the episode.
      hasSought = hasSought || to < from || to > from + .seconds(8)
    }
    guard state.isControlled, Self.position(state.position) != recorded.position else {
      hasSought = false
      return false
    }
    return state.isPaused && !before.isPaused
      || recordedAt.duration(to: now) >= (hasSought ? Self.seekInterval : Self.recordInterval)
  }

  /// Whether a player that failed had played something before: where it was told to begin is no position of
  /// the listener.
  func wasHeard(to position: Duration?) -> Bool {
    position.map { $0 < start || $0 >= start + .seconds(5) } ?? false
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
    let process = PlayerProcess(PlayerCommand(settings.player))
    var new = BrowsePlaying(
      key: key, title: episode.title, path: folder + path, process: process)
    new.recorded = BrowsePlaying.Recorded(episode)
    let from = start ?? episode.position
    new.start = from ?? .zero
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

  /// Asks the player for something.
  func control(_ request: PlayerRequest) {
    guard let playing else { return send(.message("Nothing is being played.")) }
    if !playing.process.send(request) {
      send(.message("The player cannot be controlled; \(keyMap.name("O")) ends it."))
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
    _ = await recorded(playing.state.position, by: playing)
  }

  private func take(_ state: PlayerState, of key: String) async {
    guard let before = playing?.state, playing?.key == key else { return }
    playing?.state = state
    showPlaying()
    guard playing?.isRecordDue(after: before, at: .now) == true, let playing else { return }
    let after = await recorded(state.position, by: playing)
    guard self.playing?.key == key else { return }
    self.playing?.recorded = after.recorded
    self.playing?.isSettled = after.isSettled
    self.playing?.recordedAt = .now
    self.playing?.hasSought = false
  }

  private func showPlaying() {
    send(
      .player(playing.map { PlayedEpisode(key: $0.key, title: $0.title, state: $0.state) }))
  }

  private func end(_ ending: PlayerEnding, _ state: PlayerState, of key: String) async {
    guard let playing, playing.key == key else { return }
    lastSpeed = state.speed
    switch ending {
    case .finished where BrowsePlaying.isPlayed(state):
      _ = await record([.played(true)], of: await episodes(key))
    case .finished:
      _ = await recorded(state.position, by: playing)
      let (end, length) = (state.position ?? .zero, state.duration ?? .zero)
      send(
        .error(
          "The file ended at \(DurationText.clock(end)) of \(DurationText.clock(length)); podget verify "
            + "looks for damage."))
    case .stopped: _ = await recorded(state.position, by: playing)
    case .failed(let sentence):
      if playing.wasHeard(to: state.position) {
        _ = await recorded(state.position, by: playing)
      }
      send(.error(sentence))
    case .notStarted(let failure): playOtherwise(playing.path, because: failure)
    }
    self.playing = nil
    showPlaying()
    if ending == .finished, !isStopping { send(.ended(key)) }
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

  /// Records a position that the player has said.
  ///
  /// - Returns: the player with what the record says then.
  private func recorded(_ position: Duration?, by player: BrowsePlaying) async -> BrowsePlaying {
    var player = player
    let episodes = position == nil ? [] : await episodes(player.key)
    guard let position, let episode = episodes.first,
      player.mayRecord(position, over: BrowsePlaying.Recorded(episode))
    else { return player }
    let marks: [EpisodeMark] = [.position(BrowsePlaying.position(position))]
    if let marked = await record(marks, of: episodes).first {
      player.recorded = BrowsePlaying.Recorded(marked)
    }
    return player
  }

  private func episodes(_ key: String) async -> [LocalEpisode] {
    await reading([key]).episodes.filter { $0.key == key }
  }

  /// Records marks; the episodes as they are then, none if that failed.
  private func record(_ marks: [EpisodeMark], of episodes: [LocalEpisode]) async -> [LocalEpisode] {
    do throws(PodgetError) {
      let marked = try await write(marks, of: episodes)
      for episode in marked {
        send(.marked(episode.key, isPlayed: episode.isPlayed, position: episode.position))
      }
      return marked
    } catch {
      send(.error("Where playing continues is not recorded. \(error.said)"))
      return []
    }
  }
}

extension BrowsePlaying.Recorded {
  /// What the record of an episode says.
  init(_ episode: LocalEpisode) {
    self.init(isPlayed: episode.isPlayed, position: episode.position)
  }
}

import PodcastKit
import Testing

@testable import podget

/// When it is recorded where playing continues.
struct BrowsePlayingTests {
  private func playing(at seconds: Int, isPaused: Bool = false) -> BrowsePlaying {
    var playing = BrowsePlaying(
      key: "k", title: "T", path: "/p", process: PlayerProcess(PlayerCommand()))
    playing.state.position = .seconds(seconds)
    (playing.state.isPaused, playing.state.isControlled) = (isPaused, true)
    return playing
  }

  /// Whether the position is to be recorded, after another state or the same.
  private func isDue(
    _ playing: inout BrowsePlaying, after before: PlayerState?, at now: ContinuousClock.Instant
  ) -> Bool {
    playing.isRecordDue(after: before ?? playing.state, at: now)
  }

  @Test func `the position is recorded each minute, and at a pause`() {
    let begin = ContinuousClock.now
    var playing = playing(at: 90)
    playing.recordedAt = begin
    let before = playing.state
    #expect(isDue(&playing, after: before, at: begin + .seconds(59)) == false)
    #expect(isDue(&playing, after: before, at: begin + .seconds(60)) == true)
    // What is recorded already is not recorded again.
    playing.recorded.position = .seconds(90)
    #expect(isDue(&playing, after: before, at: begin + .seconds(60)) == false)
    playing.recorded.position = .seconds(80)
    playing.state.isPaused = true
    #expect(isDue(&playing, after: before, at: begin) == true)
    #expect(isDue(&playing, after: nil, at: begin) == false)
    playing.state.isControlled = false
    #expect(isDue(&playing, after: before, at: begin + .seconds(60)) == false)
  }

  @Test func `a position behind a seek is recorded within seconds`() {
    let begin = ContinuousClock.now
    for target in [500, 20] {
      var playing = playing(at: 90)
      playing.recordedAt = begin
      let before = playing.state
      playing.state.position = .seconds(92)
      #expect(isDue(&playing, after: before, at: begin + .seconds(5)) == false)
      let next = playing.state
      playing.state.position = .seconds(target)
      // Several seeks in a row are recorded once.
      #expect(isDue(&playing, after: next, at: begin + .seconds(2)) == false)
      #expect(isDue(&playing, after: nil, at: begin + .seconds(3)) == true)
      // What is recorded is looked for no more.
      playing.recorded.position = .seconds(target)
      #expect(playing.hasSought && isDue(&playing, after: nil, at: begin + .seconds(9)) == false)
      #expect(!playing.hasSought)
    }
  }

  @Test func `what somebody says while it plays is not recorded over`() {
    typealias Recorded = BrowsePlaying.Recorded
    var playing = playing(at: 90)
    func mayRecord(_ seconds: Int, over now: Recorded) -> Bool {
      playing.mayRecord(.seconds(seconds), over: now)
    }
    playing.recorded = Recorded(position: .seconds(30))
    #expect(mayRecord(90, over: Recorded(position: .seconds(30))))
    // Another machine was further; from there this one counts again.
    #expect(!mayRecord(90, over: Recorded(position: .seconds(200))))
    #expect(mayRecord(95, over: Recorded(position: .seconds(200))))
    // Marked as played at the credits: that stays.
    let played = Recorded(isPlayed: true)
    #expect(!mayRecord(96, over: played))
    #expect(!mayRecord(170, over: played))
    // Taken back.
    #expect(!mayRecord(171, over: Recorded()))
    #expect(mayRecord(172, over: Recorded()))
    // One that was played before is heard again.
    playing.recorded = played
    #expect(mayRecord(60, over: played))
  }

  @Test func `only what was played to its end was played`() {
    var state = PlayerState()
    #expect(BrowsePlaying.isPlayed(state))
    (state.position, state.duration) = (.seconds(6), .seconds(1800))
    #expect(!BrowsePlaying.isPlayed(state))
    state.position = .seconds(1619)
    #expect(!BrowsePlaying.isPlayed(state))
    state.position = .seconds(1620)
    #expect(BrowsePlaying.isPlayed(state))
    (state.position, state.duration) = (.seconds(2), .seconds(30))
    #expect(BrowsePlaying.isPlayed(state))
  }

  @Test func `a player that fails at once has not moved the listener`() {
    var playing = playing(at: 30)
    playing.start = .seconds(30)
    #expect(!playing.wasHeard(to: nil) && !playing.wasHeard(to: .milliseconds(30_900)))
    #expect(playing.wasHeard(to: .seconds(40)) && playing.wasHeard(to: .seconds(10)))
  }

  @Test func `the first seconds are the start`() {
    #expect(BrowsePlaying.position(nil) == nil)
    #expect(BrowsePlaying.position(.milliseconds(4900)) == nil)
    #expect(BrowsePlaying.position(.milliseconds(5900)) == .seconds(5))
    var early = playing(at: 3)
    #expect(isDue(&early, after: PlayerState(), at: .now + .seconds(100)) == false)
  }
}

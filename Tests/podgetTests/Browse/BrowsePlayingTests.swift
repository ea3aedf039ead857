import PodcastKit
import Testing

@testable import podget

/// When it is recorded where playing continues.
struct BrowsePlayingTests {
  private func playing(at seconds: Int, isPaused: Bool = false) -> BrowsePlaying {
    var playing = BrowsePlaying(
      key: "k", title: "T", path: "/p", process: PlayerProcess(PlayerCommand(), folders: []))
    playing.state.position = .seconds(seconds)
    (playing.state.isPaused, playing.state.isControlled) = (isPaused, true)
    return playing
  }

  @Test func `the position is recorded each minute, and at a pause`() {
    let begin = ContinuousClock.now
    var playing = playing(at: 90)
    playing.recordedAt = begin
    let before = playing.state
    #expect(!playing.isRecordDue(after: before, at: begin + .seconds(59)))
    #expect(playing.isRecordDue(after: before, at: begin + .seconds(60)))
    // What is recorded already is not recorded again.
    playing.recorded = .seconds(90)
    #expect(!playing.isRecordDue(after: before, at: begin + .seconds(60)))
    playing.recorded = .seconds(80)
    playing.state.isPaused = true
    #expect(playing.isRecordDue(after: before, at: begin))
    #expect(!playing.isRecordDue(after: playing.state, at: begin))
    playing.state.isControlled = false
    #expect(!playing.isRecordDue(after: before, at: begin + .seconds(60)))
  }

  @Test func `the first seconds are the start`() {
    #expect(BrowsePlaying.position(nil) == nil)
    #expect(BrowsePlaying.position(.milliseconds(4900)) == nil)
    #expect(BrowsePlaying.position(.milliseconds(5900)) == .seconds(5))
    #expect(!playing(at: 3).isRecordDue(after: PlayerState(), at: .now + .seconds(100)))
  }
}

import PodcastModel
import TestSupport
import Testing

@Suite struct EpisodeActionTests {
  private typealias State = EpisodeAction.State

  @Test func theLaterChangeCounts() {
    let base = State(time: 10, progress: 5)
    func step(_ local: State, _ remote: State?) -> EpisodeAction.Step {
      EpisodeAction.step(base: base, local: [local], remote: remote)
    }
    #expect(step(base, nil) == .none)
    #expect(step(State(time: 20, progress: 9), nil) == .send(State(time: 20, progress: 9)))
    let news = State(time: 20, progress: 9)
    #expect(step(base, news) == .take(news))
    #expect(
      step(State(time: 30, progress: 7), State(time: 20, progress: 9))
        == .send(State(time: 30, progress: 7)))
    #expect(step(State(time: 15, progress: 7), news) == .take(news))
    #expect(step(State(time: 15, progress: 9), State(time: 20, progress: 9)) == .none)
    // An old action comes again.
    #expect(step(base, State(time: 9, progress: 9)) == .none)
    #expect(step(State(time: 10, progress: 7), nil) == .send(State(time: 11, progress: 7)))
  }

  @Test func `a folder that is lost or restored takes what was agreed`() {
    let (base, news) = (State(time: 10, progress: 5), State(time: 20, progress: 9))
    for local in [State(time: 0, progress: 0), State(time: 3, progress: 7)] {
      #expect(EpisodeAction.step(base: base, local: [local], remote: nil) == .take(base))
      #expect(EpisodeAction.step(base: base, local: [local], remote: news) == .take(news))
    }
    // It was never said when.
    #expect(
      EpisodeAction.step(base: nil, local: [State(time: 0, progress: 7)], remote: nil) == .none)
  }

  @Test func `of episodes with one address the latest change counts`() {
    let base = State(time: 10, progress: 5)
    func step(_ local: [State], _ remote: State?) -> EpisodeAction.Step {
      EpisodeAction.step(base: base, local: local, remote: remote)
    }
    let (other, later) = (State(time: 12, progress: 7), State(time: 13, progress: 0))
    #expect(step([base, other], nil) == .send(other))
    #expect(step([other, base], nil) == .send(other))
    #expect(step([later, other], nil) == .send(later))
    let news = State(time: 20, progress: 9)
    #expect(step([later, other], news) == .take(news))
    #expect(step([base, State(time: 15, progress: 9)], news) == .take(news))
    #expect(step([base, base], nil) == .none)
    #expect(step([base, State(time: 0, progress: 0)], nil) == .take(base))
  }

  @Test func `an action from the future counts from its receipt, also when its time has come`() {
    func receive(_ times: inout [String: [Int64]], _ time: Int64, at now: Int64) -> Int64 {
      var ahead = ActionsAhead(times, at: now)
      defer { times = ahead.pairs(since: 0) ?? [:] }
      return ahead.received(State(time: time, progress: 1), of: "key").time
    }
    var times: [String: [Int64]] = [:]
    #expect(receive(&times, 50, at: 100) == 50)
    #expect(times.isEmpty)
    #expect(receive(&times, 500, at: 100) == 100)
    #expect(receive(&times, 500, at: 200) == 100)
    // What another device says is said when it says so.
    #expect(receive(&times, 150, at: 200) == 150)
    #expect(receive(&times, 700, at: 300) == 300)
    #expect(receive(&times, 250, at: 900) == 250)
    #expect(receive(&times, 500, at: 900) == 100)
    #expect(receive(&times, 600, at: 900) == 600)
    #expect(receive(&times, 700, at: 900) == 300)
    #expect(receive(&times, 800, at: 900) == 800)
    for time in 1000..<2000 { #expect(receive(&times, Int64(time), at: 900) == 900) }
    // None of them counts anew as long as it is ahead.
    for time in 1000..<2000 { #expect(receive(&times, Int64(time), at: 950) == 900) }
    for time in 1992..<2000 { #expect(receive(&times, Int64(time), at: 3000) == 900) }
    #expect(receive(&times, 1500, at: 3000) == 1500)
    #expect(times == ["key": (1992..<2000).flatMap { [$0, 900] }])
  }

  @Test func `actions from the future of too many episodes do not count anew`() {
    var ahead = ActionsAhead([:], at: 100)
    let state = State(time: 500, progress: 1)
    for number in 0..<20_000 { #expect(ahead.received(state, of: "\(number)").time == 100) }
    #expect(ahead.received(state, of: "another").time == 0)
    #expect(ahead.pairs(since: 0)?.count == 20_000)
    #expect(ahead.pairs(since: 500) == nil)
  }

  /// Without an agreement, what was set to the start counts by its time too.
  @Test func whatWasSetToTheStartCounts() {
    func step(_ time: Int64, _ remote: State?) -> EpisodeAction.Step {
      EpisodeAction.step(base: nil, local: [State(time: time, progress: 0)], remote: remote)
    }
    let played = State(time: 3, progress: -1)
    #expect(step(5, played) == .send(State(time: 5, progress: 0)))
    #expect(step(2, played) == .take(played) && step(0, played) == .take(played))
    #expect(step(5, nil) == .none && step(5, State(time: 3, progress: 0)) == .none)
  }

  @Test func positionsBecomeProgress() {
    #expect(EpisodeAction.progress(position: 0, total: 100) == 0)
    #expect(EpisodeAction.progress(position: 50, total: 100) == 50)
    #expect(EpisodeAction.progress(position: 90, total: 100) == -1)
    #expect(EpisodeAction.progress(position: 3569, total: 3600) == 3569)
    #expect(EpisodeAction.progress(position: 3570, total: 3600) == -1)
    #expect(EpisodeAction.progress(position: 50, total: 0) == 50)
    // The library knows how long it is.
    #expect(EpisodeAction.progress(position: 10, total: 10, duration: 3600) == 10)
    #expect(EpisodeAction.progress(position: 2699, total: 2699, duration: 3600) == 2699)
    #expect(EpisodeAction.progress(position: 2700, total: 2700, duration: 3600) == -1)
    #expect(EpisodeAction.progress(position: 3590, total: 0, duration: 3600) == -1)
    #expect(EpisodeAction.progress(position: 3590, total: 7200, duration: 3600) == 3590)
    #expect(EpisodeAction.progress(position: -1, total: 0, duration: 3600) == -1)
    #expect(EpisodeAction.progress(position: 10, total: 10, duration: -5) == -1)
  }

  @Test(arguments: [-1, 1, 59, 3599, 7200, 2_678_400] as [Int64], [nil, 0, 60, 3600] as [Int64?])
  func progressComesBack(progress: Int64, duration: Int64?) {
    let (position, total) = EpisodeAction.position(of: progress, duration: duration)
    #expect(position > 0 && total > 0)
    #expect(
      EpisodeAction.progress(position: position, total: total, duration: duration) == progress)
    #expect(EpisodeAction.progress(position: position, total: total) == progress)
  }

  /// Two libraries and a server that keeps actions; answers are lost and processes killed at any step.
  @Test(arguments: 0..<1000)
  func allSidesEndEqual(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var server: [State] = []
    var bases: [State?] = [nil, nil]
    var sides = [State(time: 0, progress: 0), State(time: 0, progress: 0)]
    var time: Int64 = 1
    func exchange(_ side: Int, until end: Int) {
      let (remote, local) = (server.max(), sides[side])
      if let base = bases[side] {
        bases[side] = State(time: min(base.time, time), progress: base.progress)
      }
      let step = EpisodeAction.step(base: bases[side], local: [local], remote: remote)
      guard end > 0 else { return }
      var agreed = remote.map { [$0] } ?? []
      if let base = bases[side] { agreed.append(base) }
      switch step {
      case .none: break
      case .take(let state):
        // A mark has the time at which it is made.
        sides[side] = State(time: time, progress: state.progress)
      case .send(let state):
        server.append(state)
        agreed.append(state)
      }
      guard end > 1 else { return }
      bases[side] = agreed.max()
    }
    for _ in 0..<40 {
      time += Int64.random(in: 0...1, using: &random)
      let side = Int.random(in: 0..<2, using: &random)
      if Bool.random(using: &random) {
        sides[side] = State(time: time, progress: .random(in: -1...3, using: &random))
      } else {
        exchange(side, until: Int.random(in: 0...2, using: &random))
      }
    }
    for side in [0, 1, 0, 1, 0, 1] {
      time += 1
      exchange(side, until: 2)
    }
    #expect(sides[0].progress == sides[1].progress)
    #expect(server.isEmpty || server.max()?.progress == sides[0].progress)
  }
}

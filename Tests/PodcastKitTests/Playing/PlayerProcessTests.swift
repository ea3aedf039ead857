import Foundation
import PodcastModel
import Synchronization
import TestSupport
import Testing

@testable import PodcastKit

/// Players are other programs: what they say and how they end is not believed without a look.
@Suite struct PlayerProcessTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A player that plays, with the states that it has said.
  private final class Playing: Sendable {
    let process: PlayerProcess
    let states = Mutex<[PlayerState]>([])
    let task: Task<(PlayerEnding, PlayerState), Never>

    init(
      _ command: String, from start: Duration? = nil, patience: Duration = .seconds(60)
    ) {
      let process = PlayerProcess(PlayerCommand(command), patience: patience)
      self.process = process
      let (states, continuation) = AsyncStream.makeStream(of: PlayerState.self)
      task = Task {
        let result = await BlockingWork.run {
          process.play("/a b.mp3", from: start, speed: 1.5) { continuation.yield($0) }
        }
        continuation.finish()
        return result ?? (.stopped, PlayerState())
      }
      Task { for await state in states { self.states.withLock { $0.append(state) } } }
    }

    var state: PlayerState? { states.withLock { $0.last } }

    func wait(_ what: String, _ isTrue: (PlayerState) -> Bool) async throws {
      try await waitUntil(what, seen: { "\(self.state as Any)" }) { state.map(isTrue) ?? false }
    }
  }

  private func play(_ player: ScriptedPlayer, from start: Duration? = nil) async throws -> Playing {
    let playing = Playing(player.path, from: start)
    try await playing.wait("it is controlled") { $0.isControlled && $0.duration == .seconds(600) }
    return playing
  }

  @Test func `mpv begins where it is told to, and does what it is asked for`() async throws {
    let player = try ScriptedPlayer(in: folder)
    let playing = try await play(player, from: .seconds(90))
    #expect(player.log[1...] == ["plays a b.mp3 from 90 at 1.5"])
    #expect(playing.state?.position == .seconds(90) && playing.state?.isPaused == false)
    for request in [PlayerRequest.pause, .move(10), .faster(0.25), .move(-60), .seek(.seconds(20))]
    {
      #expect(playing.process.send(request))
    }
    try await playing.wait("all is done") {
      $0.isPaused && $0.position == .seconds(20) && $0.speed == 1.75
    }
    #expect(playing.process.send(.speed(1)))
    try await playing.wait("the speed is usual") { $0.speed == 1 }
    #expect(
      player.log[2...] == [
        #"["cycle", "pause"]"#, #"["seek", 10, "relative"]"#, #"["add", "speed", 0.25]"#,
        #"["seek", -60, "relative"]"#, #"["seek", 20, "absolute"]"#,
        #"["set_property", "speed", 1.0]"#,
      ])
    #expect(playing.process.send(.seek(.seconds(ScriptedPlayer.Place.end))))
    let (ending, state) = await playing.task.value
    #expect(ending == .finished && state.position == .seconds(20))
    #expect(!playing.process.send(.pause))
  }

  @Test func `how it ends is one sentence`() async throws {
    let player = try ScriptedPlayer(in: folder)
    for (place, sentence) in [
      (ScriptedPlayer.Place.broken, "mpv cannot play the file: no sound in it."),
      (ScriptedPlayer.Place.death, "mpv was ended by signal 9."),
    ] {
      let playing = try await play(player)
      #expect(playing.process.send(.seek(.seconds(place))))
      #expect(await playing.task.value.0 == .failed(sentence))
    }
    let failing = try folder.writeProgram("failing/mpv", "#!/bin/sh\nexit 2\n")
    #expect(
      await Playing(failing).task.value.0
        == .failed("mpv cannot play the file."))
    let wrong = try folder.writeProgram("wrong/mpv", "#!/bin/sh\nexit 1\n")
    #expect(
      await Playing(wrong).task.value.0
        == .failed("mpv failed with status 1."))
    let missing = await Playing("\(folder.path)/none/mpv").task.value.0
    #expect(missing == .notStarted(ProgramStart.Failure(number: ENOENT)))
  }

  @Test func `nonsense does no harm`() async throws {
    let player = try ScriptedPlayer(in: folder)
    let playing = try await play(player, from: .seconds(7))
    #expect(playing.process.send(.seek(.seconds(ScriptedPlayer.Place.nonsense))))
    #expect(playing.process.send(.pause))
    try await playing.wait("it still answers") { $0.isPaused }
    #expect(playing.state?.position == .seconds(7) && playing.state?.speed == 1.5)
    playing.process.cancel()
    #expect(await playing.task.value.0 == .stopped)
  }

  @Test func `a flood ends the conversation, and not what is heard`() async throws {
    let player = try ScriptedPlayer(in: folder)
    let playing = try await play(player)
    #expect(playing.process.send(.seek(.seconds(ScriptedPlayer.Place.flood))))
    try await playing.wait("it is not controlled") { !$0.isControlled }
    #expect(!playing.process.send(.pause))
    let number = try #require(player.processes.last)
    #expect(kill(number, 0) == 0)
    playing.process.cancel()
    #expect(await playing.task.value.0 == .stopped)
    #expect(kill(number, 0) != 0)
  }

  @Test func `one that says nothing plays, and can only be ended`() async throws {
    let path = try folder.writeProgram(
      "silent/mpv", "#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 0.1; done\n")
    let playing = Playing(path, patience: .milliseconds(30))
    try await playing.wait("it is said") { !$0.isControlled }
    #expect(!playing.process.send(.pause))
    playing.process.cancel()
    #expect(await playing.task.value.0 == .stopped)
  }

  @Test func `another player only plays, and says what is wrong`() async throws {
    let path = try folder.writeProgram(
      "player",
      "#!/bin/sh\necho \"$@\" >'\(folder.path("words"))'\necho one >&2\n"
        + "printf 'No \\033[1mdevice' >&2\nexit 3\n")
    let playing = Playing("\(path) --file={path} -x")
    let ending = await playing.task.value.0
    #expect(ending == .failed("player failed with status 3: No \u{FFFD}[1mdevice"))
    #expect(try folder.read("words") == Array("--file=/a b.mp3 -x\n".utf8))
  }

  @Test func `a player that complains without an end fails with a line, and uses no memory`()
    async throws
  {
    let path = try folder.writeProgram(
      "player",
      "#!/bin/sh\necho first >&2\ndd if=/dev/zero bs=1M count=64 >&2 2>/dev/null\n"
        + "echo going on >'\(folder.path("on"))'\nexit 3\n")
    let ending = await Playing(path).task.value.0
    guard case .failed(let sentence) = ending else {
      Issue.record("\(ending)")
      return
    }
    #expect(sentence.hasPrefix("player failed with status 3: ") && sentence.count < 300)
    #expect(folder.contains("on"))
  }

  @Test func `a player that is cancelled before it starts does not start`() async throws {
    let player = try ScriptedPlayer(in: folder)
    let process = PlayerProcess(PlayerCommand(player.path))
    process.cancel()
    let ending = await BlockingWork.run {
      process.play("/a.mp3", from: nil, speed: 1) { _ in }.0
    }
    #expect(ending == .stopped && player.log.isEmpty)
  }
}

@Suite struct PlayerValueTests {
  @Test(
    arguments: [
      (
        #"{"event":"property-change","id":1,"name":"time-pos","data":1.5}"#,
        PlayerMessage.position(.milliseconds(1500))
      ),
      (#"{"event":"property-change","name":"duration","data":60}"#, .duration(.seconds(60))),
      (#"{"event":"property-change","name":"pause","data":true}"#, .isPaused(true)),
      (#"{"event":"property-change","name":"speed","data":1.1}"#, .speed(1.1)),
      (#"{"event":"end-file","reason":"eof"}"#, .finished),
      (#"{"event":"end-file","reason":"error"}"#, .failed("")),
      (#"{"event":"end-file","reason":"quit"}"#, nil),
      (#"{"event":"property-change","name":"time-pos","data":null}"#, nil),
      (#"{"event":"property-change","name":"time-pos","data":true}"#, nil),
      (#"{"event":"property-change","name":"time-pos","data":-0.1}"#, .position(.zero)),
      (#"{"event":"property-change","name":"time-pos","data":-61}"#, nil),
      (#"{"event":"property-change","name":"time-pos","data":2678401}"#, nil),
      (#"{"event":"property-change","name":"time-pos","data":1e999}"#, nil),
      (#"{"event":"property-change","name":"speed","data":0}"#, nil),
      (#"{"event":"property-change","name":"volume","data":84.6}"#, .volume(85)),
      (#"{"event":"property-change","name":"volume","data":-1}"#, nil),
      (#"{"event":"property-change","name":"volume","data":1e300}"#, nil),
      (#"{"event":"property-change","name":"speed","data":101}"#, nil),
      (#"{"event":"property-change","name":"pause","data":1}"#, nil),
      (#"{"event":"seek"}"#, nil), (#"{"request_id":0,"error":"success"}"#, nil), ("", nil),
      ("null", nil), ("{", nil),
    ]) func `a line means something or nothing`(line: String, message: PlayerMessage?)
  {
    #expect(PlayerMessage(line: line.utf8) == message)
  }

  @Test func `lines are the same however they are cut, and long ones are ignored`() {
    let text =
      Array("one\n\ntwo\n".utf8) + Array(repeating: 0x78, count: 70_000) + Array("\nend\n".utf8)
    for size in [1, 7, 65_536, 100_000] {
      var (lines, all) = (PlayerLines(), [[UInt8]]())
      var rest = text[...]
      while !rest.isEmpty {
        all += lines.lines(in: rest.prefix(size))
        rest = rest.dropFirst(size)
      }
      #expect(all == ["one", "", "two", "end"].map { Array($0.utf8) })
    }
  }

  @Test func `the path is where it is wanted, and mpv is told more`() {
    func words(_ text: String?) -> [String] {
      PlayerCommand(text).words(playing: "/p.mp3", from: .seconds(61), speed: 1)
    }
    #expect(words("vlc {path}") == ["vlc", "/p.mp3"])
    #expect(words("vlc --play=file:{path} -I 'd u'") == ["vlc", "--play=file:/p.mp3", "-I", "d u"])
    #expect(words("vlc -I dummy") == ["vlc", "-I", "dummy", "/p.mp3"])
    let standard = words(nil)
    #expect(standard.first == "mpv" && standard.suffix(2) == ["--", "/p.mp3"])
    #expect(standard.contains("--start=61") && standard.contains("--input-ipc-client=fd://0"))
    #expect(words("/opt/mpv --volume=50 {path}").contains("--volume=50"))
    #expect(!words("mpv {path}").contains("{path}"))
    #expect(
      words("mpv --volume=40 --force-media-title={path} -- {path}").filter { $0 == "--" }.count == 1
    )
    #expect(words("mpv --force-media-title={path}").contains("--force-media-title=/p.mp3"))
    #expect(!PlayerCommand(nil).isNamed && PlayerCommand("mpv").isNamed)
  }
}

import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastTransfer

@Suite("Pause, resume and cancel at each moment") struct DownloadStateMachineTests {
  /// A machine in each state that calls can lead to, and how it is called.
  private static var states: [(name: String, machine: DownloadStateMachine)] {
    func made(_ change: (inout DownloadStateMachine) -> Void) -> DownloadStateMachine {
      var machine = DownloadStateMachine()
      change(&machine)
      return machine
    }
    return [
      ("in line", made { _ in }),
      ("in line, paused", made { _ = $0.pause() }),
      ("in line, cancelled", made { _ = $0.cancel() }),
      ("waiting", made { try? $0.start() }),
      (
        "waiting, paused",
        made {
          try? $0.start()
          _ = $0.pause()
        }
      ),
      (
        "waiting, cancelled",
        made {
          try? $0.start()
          _ = $0.cancel()
        }
      ),
      ("transferring", made { $0.begin() }),
      (
        "transferring, paused",
        made {
          $0.begin()
          _ = $0.pause()
        }
      ),
      (
        "transferring, cancelled",
        made {
          $0.begin()
          _ = $0.cancel()
        }
      ),
      (
        "between hops",
        made {
          $0.begin()
          $0.redirect()
        }
      ),
      (
        "between hops, paused",
        made {
          $0.begin()
          _ = $0.pause()
          $0.redirect()
        }
      ),
      (
        "between hops, cancelled",
        made {
          $0.begin()
          $0.redirect()
          _ = $0.cancel()
        }
      ),
      ("settling", made { _ = $0.settle() }),
      ("ended", made { $0.finish() }),
    ]
  }

  private func answers<Result>(_ call: (inout DownloadStateMachine) -> Result) -> [String: Result] {
    Dictionary(
      uniqueKeysWithValues: Self.states.map { name, machine in
        var machine = machine
        return (name, call(&machine))
      })
  }

  private typealias Action = DownloadStateMachine.Action

  @Test("pausing") func pause() {
    let expected: [String: Action?] = [
      "in line": Action.none, "in line, paused": nil, "in line, cancelled": nil,
      "waiting": Action.none, "waiting, paused": nil, "waiting, cancelled": nil,
      "transferring": .hold, "transferring, paused": nil, "transferring, cancelled": nil,
      "between hops": Action.none, "between hops, paused": nil, "between hops, cancelled": nil,
      "settling": nil, "ended": nil,
    ]
    #expect(answers { $0.pause() } == expected)
  }

  @Test("resuming") func resume() {
    let expected: [String: Action?] = [
      "in line": nil, "in line, paused": .wake, "in line, cancelled": nil,
      "waiting": nil, "waiting, paused": .wake, "waiting, cancelled": nil, "transferring": nil,
      "transferring, paused": .proceed, "transferring, cancelled": nil, "between hops": nil,
      "between hops, paused": .wake, "between hops, cancelled": nil, "settling": nil,
      "ended": nil,
    ]
    #expect(answers { $0.resume() } == expected)
  }

  @Test("cancelling") func cancel() {
    for (name, isNew) in answers({ $0.cancel() }) {
      let canStop = !name.hasSuffix("cancelled") && name != "settling" && name != "ended"
      #expect(isNew == canStop, "\(name)")
    }
  }

  @Test("only a download that has not started is put back, and then it does not start")
  func putBack() {
    let expected = Dictionary(
      uniqueKeysWithValues: Self.states.map {
        ($0.name, $0.name == "in line")
      })
    #expect(answers { $0.putBack() } == expected)
    var machine = DownloadStateMachine()
    let calls = [machine.putBack(), machine.putBack(), (try? machine.start()) != nil]
    #expect(calls == [true, false, false])
  }

  @Test("a pause that became long") func grace() {
    let expected: [String: Action] = [
      "in line": .none, "in line, paused": .none, "in line, cancelled": .none,
      "waiting": .none, "waiting, paused": .none, "waiting, cancelled": .none,
      "transferring": .none, "transferring, paused": .abort, "transferring, cancelled": .none,
      "between hops": .none, "between hops, paused": .none, "between hops, cancelled": .none,
      "settling": .none, "ended": .none,
    ]
    #expect(answers { $0.graceEnded() } == expected)
  }

  @Test("the end of an attempt") func end() {
    let expected: [String: Interruption.UserReason?] = [
      "transferring": nil, "transferring, paused": .paused,
      "transferring, cancelled": .cancelled,
    ]
    let found = answers { $0.end() }.filter { $0.key.hasPrefix("transferring") }
    #expect(found == expected)
  }

  @Test("settling is refused only after a cancel, and ends a pause") func settle() {
    let found = answers { $0.settle() }
    for (name, isAllowed) in found { #expect(isAllowed == !name.hasSuffix("cancelled")) }
    #expect(
      answers { machine in
        _ = machine.settle()
        return machine.isPaused
      }.values.allSatisfy { !$0 })
  }

  @Test("a resume after the connection was closed is not a failure") func closedConnection() {
    var machine = DownloadStateMachine()
    machine.begin()
    _ = machine.pause()
    #expect(machine.graceEnded() == .abort)
    _ = machine.resume()
    #expect(machine.end() == .paused)
    machine.begin()
    #expect(machine.end() == nil)
  }

  @Test("a connection that was closed while it read a redirect is not a failure")
  func letGoBeforeRedirect() {
    var machine = DownloadStateMachine()
    machine.begin()
    _ = machine.pause()
    #expect(machine.graceEnded() == .abort)
    machine.redirect()
    _ = machine.resume()
    machine.begin()
    #expect(machine.end() == nil)
  }

  @Test("random calls keep the rules", arguments: 0..<50)
  func walk(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var machine = DownloadStateMachine()
    try? machine.start()
    var ends = 0
    var isLettingGo = false
    var attempts = 0
    for _ in 0..<200 {
      let before = machine
      switch Int.random(in: 0..<8, using: &random) {
      case 0:
        let action = machine.pause()
        #expect((action == nil) == (machine == before))
        #expect(machine.pause() == nil)
        #expect(machine.isPaused || action == nil)
      case 1:
        let action = machine.resume()
        #expect((action == nil) == (machine == before))
        #expect(machine.resume() == nil)
        #expect(!machine.isPaused || machine.isCancelled)
      case 2 where Int.random(in: 0..<10, using: &random) == 0:
        let isNew = machine.cancel()
        #expect(isNew == (machine != before))
        let isNewAgain = machine.cancel()
        #expect(!isNewAgain)
      case 3:
        let action = machine.graceEnded()
        #expect((action == .abort) == (before.isPaused && before.phase == .transferring))
        #expect(machine.phase == before.phase && machine.isPaused == before.isPaused)
        if action == .abort { isLettingGo = true }
      case 4 where machine.phase == .waiting && !machine.isCancelled && !machine.isPaused:
        machine.begin()
        attempts += 1
      case 5 where machine.phase == .transferring:
        let reason = machine.end()
        ends += 1
        let expected: Interruption.UserReason? =
          before.isCancelled ? .cancelled : before.isPaused || isLettingGo ? .paused : nil
        isLettingGo = false
        #expect(reason == expected)
      case 6 where machine.phase == .transferring:
        machine.redirect()
        isLettingGo = false
        #expect(machine.isPaused == before.isPaused && machine.isCancelled == before.isCancelled)
      case 7 where machine.phase == .betweenHops && !machine.isCancelled:
        machine.begin()
      default: break
      }
      #expect(!(machine.isPaused && machine.isCancelled))
      #expect(!before.isCancelled || machine.isCancelled)
      let isAttempting = machine.phase == .transferring || machine.phase == .betweenHops
      #expect(attempts - ends == (isAttempting ? 1 : 0))
    }
  }
}

import TestSupport
import Testing

@testable import PodcastTransfer

@Suite("The schedule of transfers") struct TransferScheduleTests {
  private func schedule(
    _ total: Int, _ perHost: Int, early: Int = 0, beyond: Int = 8, aside: Int = 256
  ) -> TransferSchedule {
    var limits = TransferSchedule.Limits(total: total, perHost: perHost)
    (limits.early, limits.beyond, limits.aside) = (early, beyond, aside)
    return TransferSchedule(limits)
  }

  /// Begins what may begin; each asks for its slot at once.
  private func begin(
    _ schedule: inout TransferSchedule, _ hosts: [String: String], at now: Duration = .zero
  ) -> [String] {
    var begun: [String] = []
    while let key = schedule.next(at: now) {
      begun.append(key)
      if let host = hosts[key] { _ = schedule.reach(key, host, at: now) }
    }
    return begun
  }

  @Test("hosts take turns, and a host's own limit leaves room for others")
  func turns() {
    var schedule = schedule(3, 2)
    var hosts: [String: String] = [:]
    for host in ["a", "b", "c"] {
      for number in 0..<3 {
        hosts["\(host)\(number)"] = host
        schedule.plan("\(host)\(number)", at: host)
      }
    }
    #expect(begin(&schedule, hosts) == ["a0", "b0", "c0"])
    #expect(schedule.serve(at: .zero).map(\.key) == ["a0", "b0", "c0"])
    #expect(!schedule.hasRoom)
    var order: [String] = []
    for ended in ["a0", "b0", "c0", "a1", "b1", "c1"] {
      schedule.end(ended)
      order += begin(&schedule, hosts)
      #expect(schedule.serve(at: .zero).count == 1)
    }
    #expect(order == ["a1", "b1", "c1", "a2", "b2", "c2"])
    for key in order { schedule.end(key) }
    #expect(schedule.count == 0)
    #expect(schedule.next(at: .zero) == nil)
  }

  @Test("a transfer is wanted by those that could run in its place") func wanted() {
    var schedule = schedule(2, 1)
    func run(_ key: String, _ host: String) {
      _ = schedule.reach(key, host, at: .zero)
      _ = schedule.serve(at: .zero)
    }
    run("1", "a")
    #expect(!schedule.isWanted("1", at: .zero))
    // There is a slot for it.
    schedule.plan("2", at: "b")
    #expect(!schedule.isWanted("1", at: .zero))
    schedule.plan("3", at: "a")
    #expect(schedule.isWanted("1", at: .zero))
    #expect(schedule.removePlanned { _ in true }.count == 2)
    run("2", "b")
    // It waits for another place, and then for something else.
    schedule.plan("3", at: "b")
    #expect(!schedule.isWanted("1", at: .zero) && schedule.isWanted("2", at: .zero))
    schedule.plan("4", at: "c")
    #expect(schedule.isWanted("1", at: .zero))
    schedule.close("c", for: .seconds(60), at: .zero)
    #expect(!schedule.isWanted("1", at: .zero))
    #expect(schedule.isWanted("1", at: .seconds(60)))
    #expect(schedule.removePlanned { _ in true }.count == 2)
    // So does what has begun.
    run("5", "d")
    #expect(schedule.isWanted("1", at: .zero) && schedule.isWanted("2", at: .zero))
    schedule.end("2")
    _ = schedule.serve(at: .zero)
    #expect(!schedule.isWanted("1", at: .zero) && !schedule.isWanted("2", at: .zero))
  }

  @Test("a host that stays busy takes no turn from the others")
  func busyHosts() {
    var schedule = schedule(4, 2, early: 4)
    var hosts: [String: String] = [:]
    for host in ["a", "b", "c", "d"] {
      for number in 0..<9 {
        hosts["\(host)\(number)"] = host
        schedule.plan("\(host)\(number)", at: host)
      }
    }
    var order = begin(&schedule, hosts)
    _ = schedule.serve(at: .zero)
    order += begin(&schedule, hosts)
    // Transfers of a and b never end.
    for _ in 0..<4 {
      guard let ending = order.first(where: { $0.first == "c" || $0.first == "d" }) else { break }
      order.removeAll { $0 == ending }
      schedule.end(ending)
      _ = schedule.serve(at: .zero)
      order += begin(&schedule, hosts)
      _ = schedule.serve(at: .zero)
    }
    for host in "abcd" { #expect(order.contains { $0.first == host }, "\(host): \(order)") }
  }

  @Test("a few begin early, and never more of one host than may run")
  func early() {
    var schedule = schedule(2, 2, early: 3)
    var hosts: [String: String] = [:]
    for number in 0..<9 {
      hosts["a\(number)"] = "a"
      schedule.plan("a\(number)", at: "a")
    }
    #expect(begin(&schedule, hosts) == ["a0", "a1"])
    _ = schedule.serve(at: .zero)
    #expect(begin(&schedule, hosts) == ["a2", "a3"])
    schedule.plan("b0", at: "b")
    schedule.plan("c0", at: "c")
    #expect(begin(&schedule, ["b0": "b", "c0": "c"]) == ["b0"])
    schedule.end("a0")
    #expect(schedule.serve(at: .zero).map(\.key) == ["a2"])
  }

  @Test("one whose file is open does not overtake those that were planned before")
  func order() {
    var schedule = schedule(1, 1, early: 2)
    for key in ["a0", "b0", "c0"] { schedule.plan(key, at: String(key.prefix(1))) }
    #expect(begin(&schedule, ["b0": "b", "c0": "c"]) == ["a0", "b0", "c0"])
    #expect(schedule.serve(at: .zero).isEmpty)
    #expect(schedule.reach("a0", "a", at: .zero) == nil)
    #expect(schedule.serve(at: .zero).map(\.key) == ["a0"])
    schedule.end("a0")
    #expect(schedule.serve(at: .zero).map(\.key) == ["b0"])
    schedule.end("b0")
    // Unless those wait for something else.
    schedule.plan("d0", at: "d")
    #expect(begin(&schedule, [:]) == ["d0"])
    schedule.stepAside("c0")
    #expect(schedule.reach("d0", "d", at: .zero) == nil)
    #expect(schedule.serve(at: .zero).map(\.key) == ["d0"])
  }

  @Test("who waits for something else holds nobody up")
  func aside() {
    var schedule = schedule(2, 2, beyond: 1, aside: 20)
    let hosts = Dictionary(uniqueKeysWithValues: (0..<40).map { ("\($0)", "a") })
    for number in 0..<40 { schedule.plan("\(number)", at: "a") }
    // Each finds the lock of another podget, or its host closed behind a tracker.
    for number in 0..<19 {
      #expect(schedule.next(at: .zero) == "\(number)")
      if number % 2 == 0 {
        schedule.stepAside("\(number)")
      } else {
        #expect(schedule.reach("\(number)", "a", at: .zero) == nil)
        #expect(schedule.serve(at: .zero).map(\.key) == ["\(number)"])
        schedule.close("b", for: .seconds(60), at: .zero)
        #expect(schedule.reach("\(number)", "b", at: .zero) == nil)
      }
      #expect(schedule.count == 0)
    }
    #expect(begin(&schedule, hosts) == ["19", "20"])
    #expect(schedule.serve(at: .zero).map(\.turn) == [.taken, .taken])
    // But so many open files are enough.
    schedule.stepAside("19")
    #expect(schedule.next(at: .zero) == nil)
    // What is being completed counts.
    for number in 0..<19 { schedule.end("\(number)") }
    schedule.settle("20")
    #expect(begin(&schedule, hosts) == ["21", "22"])
    #expect(schedule.serve(at: .zero).count == 2)
    #expect(schedule.next(at: .zero) == nil)
  }

  @Test("a transfer that has run comes before those that have not")
  func ranks() {
    var schedule = schedule(2, 2)
    for number in 0..<3 { schedule.plan("\(number)", at: "a") }
    let hosts = ["0": "a", "1": "a", "2": "a"]
    #expect(begin(&schedule, hosts) == ["0", "1"])
    _ = schedule.serve(at: .zero)
    schedule.stepAside("0")
    #expect(begin(&schedule, [:]) == ["2"])
    #expect(schedule.reach("2", "a", at: .zero) == nil)
    #expect(schedule.reach("0", "a", at: .zero) == nil)
    #expect(schedule.serve(at: .zero).map(\.key) == ["0"])
    schedule.end("1")
    #expect(schedule.serve(at: .zero).map(\.key) == ["2"])
  }

  @Test("one that is put back is its host's next one")
  func putBack() {
    var schedule = schedule(1, 1)
    for key in ["a0", "a1", "b0"] { schedule.plan(key, at: String(key.prefix(1))) }
    #expect(schedule.next(at: .zero) == "a0")
    #expect(schedule.next(at: .zero) == nil)
    schedule.putBack("a0")
    #expect(schedule.next(at: .zero) == "b0")
    schedule.end("b0")
    #expect(schedule.next(at: .zero) == "a0")
    let removed = schedule.removePlanned { _ in true }
    #expect(removed == ["a1"])
    schedule.end("a0")
    #expect(schedule.next(at: .zero) == nil)
  }

  @Test("one with the key of a transfer that runs begins after that, and holds up no other")
  func sameKey() {
    var schedule = schedule(2, 2)
    for key in ["0", "0", "1"] { schedule.plan(key, at: "a") }
    #expect(schedule.next(at: .zero) == "0")
    #expect(schedule.next(at: .zero) == "1")
    #expect(schedule.next(at: .zero) == nil)
    schedule.end("0")
    #expect(schedule.next(at: .zero) == "0")
  }

  @Test("a closed host begins when it opens, and one that is closed for long at once, to fail")
  func closed() {
    var schedule = schedule(2, 1)
    for host in ["a", "b"] { schedule.plan(host, at: host) }
    schedule.close("a", for: .seconds(4), at: .seconds(1))
    schedule.close("b", for: .seconds(301), at: .seconds(1))
    #expect(schedule.next(at: .seconds(1)) == "b")
    #expect(schedule.reach("b", "b", at: .seconds(1)) == .refused(.seconds(301)))
    #expect(schedule.next(at: .seconds(1)) == nil)
    #expect(schedule.nextMoment == .seconds(5))
    #expect(schedule.next(at: .seconds(5)) == "a")
    schedule.close("c", for: .seconds(Int64.max), at: .seconds(5))
    #expect(schedule.refusal(of: "c", at: .seconds(5)) != nil)
  }

  @Test(
    "a day of 10,000 plans on 50 hosts: limits hold, all end, hosts take turns", arguments: 0..<3)
  func day(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var schedule = schedule(8, 2, early: 4)
    // Two hosts have a third of all, and they come first.
    let hosts = (0..<10_000).map { number in
      "\(number < 3_333 ? number % 2 : Int.random(in: 2..<50, using: &random))"
    }
    for (number, host) in hosts.enumerated() { schedule.plan("\(number)", at: host) }
    var now = Duration.zero
    var (running, delayed) = ([String: (end: Duration, host: String)](), [String: Duration]())
    var (targets, firstEnds, ended) = ([String: String](), Set<String>(), 0)
    func reach(_ key: String, _ host: String) {
      targets[key] = host
      running[key] = nil
      if let turn = schedule.reach(key, host, at: now) { note([(key, turn)]) }
    }
    func note(_ served: [(key: String, turn: TransferSchedule.Turn)]) {
      for (key, turn) in served {
        #expect(turn == .taken)
        let seconds = Int.random(in: 1...60, using: &random)
        running[key] = (now + .seconds(seconds), targets[key] ?? "")
      }
    }
    func host(_ key: String) -> String { Int(key).map { hosts[$0] } ?? "" }
    while ended < 10_000 {
      while let key = schedule.next(at: now) { reach(key, host(key)) }
      note(schedule.serve(at: now))
      let places = Dictionary(running.values.map { ($0.host, 1) }, uniquingKeysWith: +)
      #expect(places.allSatisfy { $0.value <= 2 } && running.count <= 8)
      let moments =
        running.values.map(\.end) + delayed.values + [schedule.nextMoment].compactMap { $0 }
      guard let next = moments.min() else { break }
      now = next
      for (key, moment) in delayed where moment <= now {
        delayed[key] = nil
        reach(key, host(key))
      }
      for (key, transfer) in running where transfer.end <= now {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<5:
          running[key] = nil
          schedule.stepAside(key)
          delayed[key] = now + .seconds(30)
        case 5:
          schedule.close(transfer.host, for: .seconds(120), at: now)
          reach(key, transfer.host)
        case 6..<20: reach(key, "cdn")
        default:
          running[key] = nil
          schedule.end(key)
          ended += 1
          if ended <= 500 { firstEnds.insert(host(key)) }
        }
      }
    }
    #expect(ended == 10_000)
    #expect(schedule.count == 0)
    // The hosts that came first do not come first until they are done.
    #expect(firstEnds.count == 50)
  }
}

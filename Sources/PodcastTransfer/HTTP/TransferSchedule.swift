/// Decides which transfers run: a pure table of what is planned, what waits and what runs. The only
/// scheduler of podget.
///
/// A transfer that runs has a slot, of which there are so many in total, and a place at its host. A
/// host is scheme, host and port. Times are durations since any fixed moment.
///
/// - Hosts take turns: each begins one planned transfer, then the next host does.
/// - A few transfers begin before a slot is free for them, so that it need not wait for their files.
/// - A transfer that has run comes before those that have not, and one that follows a redirect before
///   all others: it keeps its slot and needs only a place at the target.
/// - A transfer that waits for something else (a lock, a delay, a Retry-After) holds nothing, and no
///   other is held up by it.
package struct TransferSchedule: Sendable {
  /// How many transfers may be where.
  package struct Limits: Sendable {
    /// How many have a slot, at least 1.
    package var total: Int
    /// How many have a place at one host, at least 1.
    package var perHost: Int
    /// How many begin early, before they could have a slot.
    package var early = 0
    /// How many more than there are slots may have begun without being aside: those that begin early,
    /// and those that have received everything and are being completed.
    package var beyond = 8
    /// How many may be aside before no other begins: each may keep a file open, or needs memory.
    package var aside = 256

    /// Creates limits.
    package init(total: Int, perHost: Int) {
      self.total = max(1, total)
      self.perHost = max(1, perHost)
    }
  }

  /// The result of a wait for a slot.
  package enum Turn: Sendable, Hashable {
    case taken
    /// The rest of the host's Retry-After, which is longer than podget waits.
    case refused(Duration)
    case cancelled
  }

  private enum Standing: Hashable {
    /// It has begun and does not wait for its slot yet: it opens its file.
    case preparing
    /// It waits for a slot and a place.
    case waiting
    /// It follows a redirect and has its slot still: it waits for a place only, until then.
    case following(until: Duration)
    /// It has a slot and a place.
    case running
    /// It has received what it asked for, and holds nothing.
    case settling
    /// It waits for something else, and holds nothing.
    case aside

    var hasSlot: Bool {
      switch self {
      case .following, .running: true
      case .preparing, .waiting, .settling, .aside: false
      }
    }
  }

  private struct Transfer {
    /// The host that it wants or has.
    var host: String
    var standing: Standing
    /// How many had begun before it.
    var number: Int
    /// Whether it has had a slot.
    var hasRun = false
    /// Where it has another place: the host of a refused address, while the episode's own address is
    /// asked for a new one.
    var kept: String?

    /// In which order those in line get what is free; nil for one that is not in line.
    var rank: Int? {
      switch standing {
      case .following: 0
      case .waiting: hasRun ? 1 : 2
      case .preparing, .running, .settling, .aside: nil
      }
    }
  }

  /// How long a transfer that follows a redirect keeps its slot while it waits for a place at the
  /// target. It waits on without, so that a slow host does not take all slots from the others.
  package static let followPatience = Duration.seconds(15)

  /// Longer than any run; a clock can represent this time.
  private static let longestClosure = Duration.seconds(1_000_000_000)

  private let limits: Limits
  private var transfers: [String: Transfer] = [:]
  private var begunCount = 0
  /// The transfers that wait or follow, in the order in which they came.
  private var line: [String] = []
  /// The planned transfers of each host, in order.
  private var planned: [String: ArraySlice<String>] = [:]
  /// The hosts that have planned transfers, in the order of their turns.
  private var turns: [String] = []
  /// How many have a place at each host.
  private var places: [String: Int] = [:]
  /// When each closed host accepts requests again.
  private var closedUntil: [String: Duration] = [:]
  /// How many have a slot.
  package private(set) var count = 0

  /// Creates an empty schedule.
  package init(_ limits: Limits) { self.limits = limits }

  /// Whether any transfer could begin now.
  ///
  /// A waiting transfer gets the next free slot, so slots that are free now are not for it.
  package var hasRoom: Bool { count < limits.total }
}

/// What has not begun.
extension TransferSchedule {
  /// Adds a transfer that is to begin when its host has its turn.
  package mutating func plan(_ key: String, at host: String) {
    if planned[host] == nil { turns.append(host) }
    planned[host, default: []].append(key)
  }

  /// Plans a transfer again that has begun and has not run, as the next one of its host.
  package mutating func putBack(_ key: String) {
    guard let host = transfers[key]?.host else { return }
    end(key)
    if planned[host] == nil { turns.insert(host, at: 0) }
    planned[host] = [key] + (planned[host] ?? [])
  }

  /// Removes planned transfers; those that have begun stay.
  ///
  /// - Parameter isWanted: whether to remove one.
  /// - Returns: what was removed, host by host.
  package mutating func removePlanned(where isWanted: (String) -> Bool) -> [String] {
    var removed: [String] = []
    for host in turns {
      let own = planned[host]?.filter(isWanted) ?? []
      guard !own.isEmpty else { continue }
      removed += own
      planned[host]?.removeAll(where: isWanted)
    }
    turns.removeAll { planned[$0]?.isEmpty == true }
    planned = planned.filter { !$0.value.isEmpty }
    return removed
  }

  /// Takes the next planned transfer that should begin now: it opens its file, then calls
  /// ``reach(_:_:at:)``. Nil if none should.
  ///
  /// One whose host is closed for longer than podget waits begins too, to fail without a request.
  package mutating func next(at now: Duration) -> String? {
    guard !turns.isEmpty else { return nil }
    let begun = begun(at: now)
    guard begun.aside < limits.aside, begun.active < limits.total + limits.beyond else {
      return nil
    }
    let free = limits.total - count
    // How many of those in line could start with the free slots.
    let startable = begun.inLine.reduce(0) { $0 + min($1.value, room(at: $1.key)) }
    let early = begun.inLine.values.reduce(0, +) - min(startable, free)
    let index = turns.firstIndex { host in
      guard nextPlanned(at: host) != nil else { return false }
      if let left = opening(of: host, at: now) { return left > RetryPolicy.longestRetryAfter }
      let own = begun.inLine[host] ?? 0
      return startable < free && own < room(at: host)
        || early < limits.early && own < limits.perHost
    }
    guard let index, let place = nextPlanned(at: turns[index]) else { return nil }
    let host = turns.remove(at: index)
    let key = planned[host]?.remove(at: place)
    if planned[host]?.isEmpty == false { turns.append(host) } else { planned[host] = nil }
    if let key { transfers[key] = newTransfer(host, .preparing) }
    return key
  }

  /// Where a host's next planned transfer is. One with the key of a transfer that has not ended begins
  /// after that.
  private func nextPlanned(at host: String) -> Int? {
    planned[host]?.firstIndex { transfers[$0] == nil }
  }

  /// Counts those that have begun: in line for their first slot, by host; aside, also those that have
  /// run and wait for a slot again; and all that are not aside.
  private func begun(at now: Duration) -> (inLine: [String: Int], aside: Int, active: Int) {
    var (inLine, aside, active) = ([String: Int](), 0, 0)
    for transfer in transfers.values {
      switch transfer.standing {
      case .waiting where transfer.hasRun || opening(of: transfer.host, at: now) != nil: aside += 1
      case .preparing, .waiting:
        inLine[transfer.host, default: 0] += 1
        active += 1
      case .following, .running, .settling: active += 1
      case .aside: aside += 1
      }
    }
    return (inLine, aside, active)
  }
}

/// What has begun.
extension TransferSchedule {
  /// Takes a slot and a place at a host immediately for a transfer that was not planned, or none.
  package mutating func begin(_ key: String, at host: String, now: Duration) -> Bool {
    guard transfers[key] == nil, hasRoom, opening(of: host, at: now) == nil, takePlace(host) else {
      return false
    }
    count += 1
    transfers[key] = newTransfer(host, .running)
    transfers[key]?.hasRun = true
    return true
  }

  /// Asks for a slot and a place at a host. The place at another host is given back.
  ///
  /// A transfer that follows a redirect keeps its slot: the address may be valid for a short time only.
  /// It loses the slot while the target is closed, and if the wait becomes long. One that waits has no
  /// place at any host, so two never wait for each other.
  ///
  /// - Returns: nil if it must wait; ``serve(at:)`` tells when that ends.
  package mutating func reach(_ key: String, _ host: String, at now: Duration) -> Turn? {
    if let left = refusal(of: host, at: now) {
      stepAside(key)
      return .refused(left)
    }
    var transfer = transfers[key] ?? newTransfer(host, .preparing)
    let isOpen = opening(of: host, at: now) == nil
    if transfer.standing == .running, isOpen {
      let isThere = transfer.host == host || transfer.kept == host
      if isThere || takePlace(host) {
        if transfer.host != host {
          leavePlace(transfer.host)
          if transfer.kept == host { transfer.kept = nil }
          transfer.host = host
        }
        transfers[key] = transfer
        return .taken
      }
    }
    let follows = transfer.standing == .running && isOpen
    leavePlaces(transfer)
    if transfer.standing.hasSlot, !follows { count -= 1 }
    transfer.kept = nil
    transfer.host = host
    transfer.standing = follows ? .following(until: now + Self.followPatience) : .waiting
    transfers[key] = transfer
    line.removeAll { $0 == key }
    line.append(key)
    return nil
  }

  /// Gives those that wait what is free, in turn.
  ///
  /// - Returns: who has got a result, with the result.
  package mutating func serve(at now: Duration) -> [(key: String, turn: Turn)] {
    closedUntil = closedUntil.filter { $0.value > now }
    guard !line.isEmpty else { return [] }
    var served: [(key: String, turn: Turn)] = []
    for key in line {
      guard let transfer = transfers[key] else { continue }
      if let left = refusal(of: transfer.host, at: now) {
        release(key, to: .aside)
        served.append((key, .refused(left)))
      } else if case .following(let end) = transfer.standing,
        end <= now || opening(of: transfer.host, at: now) != nil
      {
        release(key, to: .waiting)
      }
    }
    for rank in 0..<3 {
      var ranked = line.filter { transfers[$0]?.rank == rank }
      if rank == 2 { ranked.sort { transfers[$0]?.number ?? 0 < transfers[$1]?.number ?? 0 } }
      for key in ranked {
        guard let transfer = transfers[key], transfer.standing.hasSlot || hasRoom,
          opening(of: transfer.host, at: now) == nil, rank < 2 || !isOvertaking(transfer, at: now),
          takePlace(transfer.host)
        else { continue }
        if !transfer.standing.hasSlot { count += 1 }
        transfers[key]?.standing = .running
        transfers[key]?.hasRun = true
        served.append((key, .taken))
      }
    }
    line.removeAll { transfers[$0]?.rank == nil }
    return served
  }

  /// Whether earlier ones that open their files still need all free slots: episodes start in the order
  /// in which they were planned.
  private func isOvertaking(_ transfer: Transfer, at now: Duration) -> Bool {
    let earlier = transfers.values.count {
      $0.standing == .preparing && $0.number < transfer.number && room(at: $0.host) > 0
        && opening(of: $0.host, at: now) == nil
    }
    return count + earlier >= limits.total
  }

  private mutating func newTransfer(_ host: String, _ standing: Standing) -> Transfer {
    begunCount += 1
    return Transfer(host: host, standing: standing, number: begunCount)
  }

  /// Keeps the place at the host of a refused address while the episode's own address, at another
  /// host, is asked for a new one: that may be valid for a short time only. Without a free place there
  /// it is not kept, so that no transfer has a place and waits.
  package mutating func keepPlace(_ key: String, whileAsking host: String, at now: Duration) {
    guard var transfer = transfers[key], transfer.standing == .running, transfer.host != host,
      transfer.kept == nil, opening(of: host, at: now) == nil, takePlace(host)
    else { return }
    (transfer.kept, transfer.host) = (transfer.host, host)
    transfers[key] = transfer
  }

  /// Gives back the place that was kept: the answer comes from elsewhere.
  package mutating func leaveKept(_ key: String) {
    guard let kept = transfers[key]?.kept else { return }
    transfers[key]?.kept = nil
    leavePlace(kept)
  }

  /// Whether others, begun or planned, could run instead of a transfer if it gave back what it has.
  package func isWanted(_ key: String, at now: Duration) -> Bool {
    guard let transfer = transfers[key], transfer.standing == .running else { return false }
    func isHelped(_ host: String, hasSlot: Bool) -> Bool {
      guard opening(of: host, at: now) == nil else { return false }
      let isSame = host == transfer.host
      if hasSlot || hasRoom { return isSame && room(at: host) <= 0 }
      return isSame || room(at: host) > 0
    }
    if turns.contains(where: { isHelped($0, hasSlot: false) }) { return true }
    return transfers.values.contains { other in
      (other.rank != nil || other.standing == .preparing)
        && isHelped(other.host, hasSlot: other.standing.hasSlot)
    }
  }

  /// Gives back what a transfer has, and ends its wait: it waits for something else.
  package mutating func stepAside(_ key: String) { release(key, to: .aside) }

  /// Whether one more may step aside without keeping others from beginning.
  package func hasRoomAside(at now: Duration) -> Bool { begun(at: now).aside < limits.aside }

  /// Gives back what a transfer has: its file is being completed.
  package mutating func settle(_ key: String) { release(key, to: .settling) }

  /// Forgets a transfer that has ended.
  package mutating func end(_ key: String) {
    release(key, to: .aside)
    transfers[key] = nil
  }

  private mutating func release(_ key: String, to standing: Standing) {
    guard var transfer = transfers[key] else { return }
    leavePlaces(transfer)
    if transfer.standing.hasSlot { count -= 1 }
    if standing != .waiting { line.removeAll { $0 == key } }
    transfer.kept = nil
    transfer.standing = standing
    transfers[key] = transfer
  }
}

/// Hosts.
extension TransferSchedule {
  /// Records a host's Retry-After (RFC 9110, section 10.2.3); the longest one counts.
  package mutating func close(_ host: String, for duration: Duration, at now: Duration) {
    let moment = now + min(duration, Self.longestClosure)
    closedUntil[host] = max(closedUntil[host] ?? moment, moment)
  }

  /// The time until a host accepts requests again; nil when it does so now.
  package func opening(of host: String, at now: Duration) -> Duration? {
    guard let end = closedUntil[host], end > now else { return nil }
    return end - now
  }

  /// How long a host is closed, if that is longer than podget waits; otherwise nil.
  package func refusal(of host: String, at now: Duration) -> Duration? {
    opening(of: host, at: now).flatMap { $0 > RetryPolicy.longestRetryAfter ? $0 : nil }
  }

  /// The next moment at which a wait ends by itself; nil if none does.
  package var nextMoment: Duration? {
    var next = closedUntil.values.min()
    for key in line {
      guard case .following(let end) = transfers[key]?.standing else { continue }
      next = min(next ?? end, end)
    }
    return next
  }

  private func room(at host: String) -> Int { limits.perHost - (places[host] ?? 0) }

  private mutating func takePlace(_ host: String) -> Bool {
    guard room(at: host) > 0 else { return false }
    places[host, default: 0] += 1
    return true
  }

  private mutating func leavePlace(_ host: String) {
    guard let used = places[host] else { return }
    places[host] = used > 1 ? used - 1 : nil
  }

  private mutating func leavePlaces(_ transfer: Transfer) {
    if transfer.standing == .running { leavePlace(transfer.host) }
    if let kept = transfer.kept { leavePlace(kept) }
  }
}

/// What two sides of an account have to change so that both follow the same podcasts: decided by what
/// both agreed on at the last exchange.
///
/// What only one side has was added there, or removed at the other side: the agreement tells which. The
/// first exchange has no agreement, so both sides get everything.
package struct SubscriptionMerge: Sendable {
  /// An address on which both sides agree. The server may spell it in another way.
  package struct Agreed: Sendable, Equatable {
    /// The address in the library.
    package var here: String
    /// The address at the server; empty if the server refuses this podcast.
    package var there: String
    /// Further addresses at the server of the same podcast.
    package var others: [String]

    package init(here: String, there: String, others: [String] = []) {
      self.here = here
      self.there = there
      self.others = others
    }

    /// All its addresses at the server.
    fileprivate var allThere: [String] { there.isEmpty ? [] : [there] + others }
  }

  /// A podcast of the library.
  package struct Followed: Sendable {
    /// The address, without user name and password.
    package var address: String
    /// Addresses that it had before.
    package var earlier: [String]
    /// Whether the address comes with a login or may have a token in it.
    package var isPrivate: Bool
    /// Whether a person named it, and not the server.
    package var isNamed: Bool
    /// Whether the server has not added it lately.
    package var isSettled: Bool

    package init(
      _ address: String, earlier: [String] = [], isPrivate: Bool = false, isNamed: Bool = true,
      isSettled: Bool = true
    ) {
      (self.address, self.earlier) = (address, earlier)
      (self.isPrivate, self.isNamed, self.isSettled) = (isPrivate, isNamed, isNamed || isSettled)
    }
  }

  /// Which side wins where both differ.
  package enum Preference: String, Sendable, Hashable, CaseIterable {
    /// The server: the library gets the server's list.
    case server
    /// The library: the server gets the library's list.
    case local
    /// None: each side gets what only the other one has, and nothing is removed.
    case both
  }

  /// The side that would lose most of its podcasts.
  package struct Loss: Sendable {
    /// Whether it is the library; otherwise it is the server.
    package var isHere: Bool
    /// How many podcasts it would lose.
    package var count: Int
    /// How many it has.
    package var total: Int
  }

  /// The addresses to follow in the library, as the server spells them.
  package private(set) var addHere: [String] = []
  /// The addresses in the library to follow no longer.
  package private(set) var removeHere: [String] = []
  /// The addresses to add at the server.
  package private(set) var addThere: [String] = []
  /// The addresses to remove at the server, as it spells them.
  package private(set) var removeThere: [String] = []
  /// The agreement if every change is made.
  package private(set) var agreed: [Agreed] = []
  /// The addresses that the server does not get, because they are secrets.
  package private(set) var withheld: [String] = []
  /// How many podcasts are removed: those that a person named, and those that are settled.
  package struct Removed: Sendable {
    package var named = 0
    package var settled = 0

    package init(named: Int = 0, settled: Int = 0) {
      (self.named, self.settled) = (named, settled)
    }
  }

  /// How many of the podcasts to follow no longer count.
  package private(set) var removed = Removed()
  /// How many podcasts stay because the server's list has entries that cannot be read.
  package private(set) var kept = 0
  /// Why nothing should change without the user's word; nil if all is well.
  package private(set) var loss: Loss?

  /// Decides what changes.
  ///
  /// - Parameters:
  ///   - base: what both sides agreed on at the last exchange.
  ///   - local: what the library follows.
  ///   - remote: the addresses at the server.
  ///   - preference: the side that wins; nil merges both.
  ///   - sharesPrivate: whether the server gets addresses that are secrets.
  ///   - removedBefore: how many podcasts the server has removed in the last days.
  ///   - isWhole: whether what the server's list lacks was removed there.
  ///   - canFollow: whether the library can follow an address of the server; others stay where they are.
  ///   - key: a text that is equal for addresses of one feed.
  package init(
    base: [Agreed], local: [Followed], remote: [String], preference: Preference? = nil,
    sharesPrivate: Bool = false, removedBefore: Removed = Removed(), isWhole: Bool = true,
    canFollow: (String) -> Bool = { _ in true },
    key: (String) -> String
  ) {
    // Where a podcast of the library is known by each of its addresses; the present ones come first.
    var places: [String: Int] = [:]
    for (place, followed) in local.enumerated() where places[key(followed.address)] == nil {
      places[key(followed.address)] = place
    }
    for (place, followed) in local.enumerated() {
      for address in followed.earlier where places[key(address)] == nil {
        places[key(address)] = place
      }
    }
    var agreements = [Agreed?](repeating: nil, count: local.count)
    var goneHere: [Agreed] = []
    for entry in base {
      if let place = places[key(entry.here)] {
        agreements[place] = agreements[place] ?? entry
        for address in entry.allThere where places[key(address)] == nil {
          places[key(address)] = place
        }
      } else {
        goneHere.append(entry)
      }
    }
    var present = [[String]](repeating: [], count: local.count)
    var onlyThere: [String: [String]] = [:]
    let names = remote.map(key)
    for (name, address) in zip(names, remote) {
      if let place = places[name] {
        present[place].append(address)
      } else {
        onlyThere[name, default: []].append(address)
      }
    }
    // The server may spell several podcasts in one way.
    let listed = Set(names)
    for (place, entry) in agreements.enumerated() where present[place].isEmpty {
      present[place] = entry?.allThere.filter { listed.contains(key($0)) } ?? []
    }
    func agree(_ here: String, _ there: [String]) {
      agreed.append(Agreed(here: here, there: there[0], others: Array(there.dropFirst())))
    }
    for (place, followed) in local.enumerated() {
      let isSecret = followed.isPrivate && !sharesPrivate
      if !present[place].isEmpty {
        agree(followed.address, present[place])
      } else if let entry = agreements[place], entry.there.isEmpty {
        agreed.append(entry)
      } else if preference != .both, preference != .local, let entry = agreements[place] {
        if isWhole {
          removeHere.append(followed.address)
        } else {
          kept += 1
          agree(followed.address, entry.allThere)
        }
      } else if isSecret {
        withheld.append(followed.address)
      } else if preference == .server {
        if isWhole { removeHere.append(followed.address) } else { kept += 1 }
      } else {
        addThere.append(followed.address)
        agree(followed.address, [followed.address])
      }
    }
    let gone = Set(
      goneHere.filter { !$0.there.isEmpty }.flatMap { ($0.allThere + [$0.here]).map(key) })
    var (only, lost) = (0, 0)
    for (name, address) in zip(names, remote) {
      guard let spellings = onlyThere.removeValue(forKey: name) else { continue }
      only += 1
      if preference == .local || preference == nil && gone.contains(name) {
        removeThere += spellings
        lost += 1
      } else if canFollow(address) {
        addHere.append(address)
        agree(address, spellings)
      }
    }
    // What a side has got since the agreement hides no loss: only what is left of that counts.
    let known = base.count { !$0.there.isEmpty }
    let kept = agreements.indices.filter { agreements[$0]?.there.isEmpty == false }
    let there = only + present.count { !$0.isEmpty }
    var (keptHere, keptThere) = (local.count, there)
    if preference == nil {
      (keptHere, keptThere) = (kept.count, lost + kept.count { !present[$0].isEmpty })
      if !removeHere.isEmpty, Self.isMuch(known - keptThere, of: known) { keptHere = 0 }
      if lost > 0, Self.isMuch(known - keptHere, of: known) { keptThere = 0 }
    }
    // Nor do steps, or podcasts that the server itself has added.
    let leaving = Set(removeHere)
    let left = local.filter { leaving.contains($0.address) }
    removed = Removed(
      named: left.count(where: \.isNamed), settled: left.count(where: \.isSettled))
    // Each counts alone: many of the one kind hide no loss of the other.
    for (count, before, total) in [
      (removed.named, removedBefore.named, local.count(where: \.isNamed)),
      (removed.settled, removedBefore.settled, local.count(where: \.isSettled)),
    ] where count > 0 && count + before > 1 && Self.isMuch(count + before, of: total + before) {
      keptHere = 0
    }
    if Self.isMuch(removeHere.count, of: keptHere) {
      loss = Loss(isHere: true, count: removeHere.count, total: local.count)
    } else if Self.isMuch(lost, of: keptThere) {
      loss = Loss(isHere: false, count: lost, total: there)
    }
  }

  /// A side that would lose everything, or more than half and at least four, was lost itself, perhaps.
  private static func isMuch(_ count: Int, of total: Int) -> Bool {
    count > 0 && (count >= total || count >= 4 && count * 2 > total)
  }

  /// Whether no side changes.
  package var isEmpty: Bool {
    addHere.isEmpty && removeHere.isEmpty && addThere.isEmpty && removeThere.isEmpty
  }

  /// Takes over how the server spells the addresses that it got. An empty spelling is a refusal, which
  /// is remembered so that the address is not sent again.
  ///
  /// - Parameter updates: pairs of the address that was sent and the server's.
  package mutating func take(updates: [(sent: String, server: String)]) {
    let spelled = Dictionary(updates.map { ($0.sent, $0.server) }) { first, _ in first }
    for place in agreed.indices {
      if let server = spelled[agreed[place].there] { agreed[place].there = server }
    }
  }
}

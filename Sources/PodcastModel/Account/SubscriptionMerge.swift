/// What two sides of an account have to change so that both follow the same podcasts: decided by what
/// both agreed on at the last exchange.
///
/// What only one side has was added there, or removed at the other side: the agreement tells which. The
/// first exchange has no agreement, so both sides get everything.
package struct SubscriptionMerge: Sendable, Hashable {
  /// An address on which both sides agree. The server may spell it in another way.
  package struct Agreed: Sendable, Hashable {
    /// The address in the library.
    package var here: String
    /// The address at the server; empty if the server refuses this podcast.
    package var there: String

    package init(here: String, there: String) {
      self.here = here
      self.there = there
    }
  }

  /// A podcast of the library.
  package struct Followed: Sendable, Hashable {
    /// The address, without user name and password.
    package var address: String
    /// Addresses that it had before.
    package var earlier: [String]
    /// Whether the address comes with a login or may have a token in it.
    package var isPrivate: Bool

    package init(_ address: String, earlier: [String] = [], isPrivate: Bool = false) {
      self.address = address
      self.earlier = earlier
      self.isPrivate = isPrivate
    }
  }

  /// Which side wins where both differ.
  package enum Preference: String, Sendable, Hashable, CaseIterable {
    /// The server: the library gets the server's list.
    case server
    /// The library: the server gets the library's list.
    case local
  }

  /// The side that would lose most of its podcasts.
  package struct Loss: Sendable, Hashable {
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
  ///   - key: a text that is equal for addresses of one feed.
  package init(
    base: [Agreed], local: [Followed], remote: [String], preference: Preference? = nil,
    sharesPrivate: Bool = false, key: (String) -> String
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
    var agreements: [Int: Agreed] = [:]
    var goneHere: [Agreed] = []
    for entry in base {
      if let place = places[key(entry.here)] {
        agreements[place] = agreements[place] ?? entry
        if !entry.there.isEmpty, places[key(entry.there)] == nil {
          places[key(entry.there)] = place
        }
      } else {
        goneHere.append(entry)
      }
    }
    var present: [Int: String] = [:]
    var onlyThere: [String] = []
    var seen: Set<String> = []
    for address in remote where seen.insert(key(address)).inserted {
      if let place = places[key(address)] {
        present[place] = present[place] ?? address
      } else {
        onlyThere.append(address)
      }
    }
    for (place, followed) in local.enumerated() {
      if let there = present[place] {
        agreed.append(Agreed(here: followed.address, there: there))
      } else if let entry = agreements[place], entry.there.isEmpty {
        agreed.append(entry)
      } else if preference == .server || preference == nil && agreements[place] != nil {
        removeHere.append(followed.address)
      } else if followed.isPrivate, !sharesPrivate, agreements[place] == nil {
        withheld.append(followed.address)
      } else {
        addThere.append(followed.address)
        agreed.append(Agreed(here: followed.address, there: followed.address))
      }
    }
    let removed = Set(goneHere.map { key($0.there) })
    for address in onlyThere {
      if preference == .local || preference == nil && removed.contains(key(address)) {
        removeThere.append(address)
      } else {
        addHere.append(address)
        agreed.append(Agreed(here: address, there: address))
      }
    }
    let known = base.count { !$0.there.isEmpty }
    loss =
      Self.loss(removeHere.count, of: local.count, known: known, isHere: true)
      ?? Self.loss(removeThere.count, of: seen.count, known: known, isHere: false)
  }

  /// A side that would lose everything, or more than half and at least four, was lost itself, perhaps.
  private static func loss(_ count: Int, of total: Int, known: Int, isHere: Bool) -> Loss? {
    guard count > 0, count >= total || count == known || count >= 4 && count * 2 > total else {
      return nil
    }
    return Loss(isHere: isHere, count: count, total: total)
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

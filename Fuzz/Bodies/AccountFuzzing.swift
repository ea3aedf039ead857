import Foundation
import PodcastModel

@testable import PodcastKit

/// What the server of an account answers: bounded, with addresses that can be fetched, and what is
/// decided of it loses nothing without the user's word.
enum AccountFuzzing {
  private static let now: Int64 = 1_700_000_000

  static func run(_ input: inout FuzzInput) throws {
    let local = ["https://a.example/f", "https://b.example/f"]
    let data = Data(input.remaining())
    if let listed = AccountAnswer.subscriptions(data) {
      try requireAddresses(listed)
      var merge = SubscriptionMerge(
        base: local.map { .init(here: $0, there: $0) }, local: local.map { .init($0) },
        remote: listed, key: Account.key)
      merge.take(updates: AccountAnswer.updates(data))
      try requireAddresses(merge.addHere)
      try FuzzFailure.require(
        merge.loss != nil || merge.removeHere.count < local.count, "Everything is removed.")
      try FuzzFailure.require(
        Set(merge.addHere.map(Account.key)).isDisjoint(with: local.map(Account.key)),
        "A feed is added twice.")
    }
    for (_, server) in AccountAnswer.updates(data) where !server.isEmpty {
      try requireAddresses([server])
    }
    guard let (actions, next) = AccountAnswer.actions(data, now: now) else { return }
    try FuzzFailure.require((0...now).contains(next), "The next time is \(next).")
    var ahead = ActionsAhead([:], at: now)
    for action in actions {
      try requireAddresses([action.podcast, action.episode])
      try FuzzFailure.require(
        (-1...2_678_400).contains(action.state.progress), "The progress \(action.state.progress)")
      let state = ahead.received(action.state, of: action.episode)
      try FuzzFailure.require((0...now).contains(state.time), "The time \(state.time)")
      // What the user says a second later wins.
      let step = EpisodeAction.step(
        base: state, local: .init(time: now + 1, progress: 77), remote: state)
      try FuzzFailure.require(
        step == .none || step == .send(.init(time: now + 1, progress: 77)), "It undoes a mark.")
    }
  }

  private static func requireAddresses(_ addresses: [String]) throws {
    for address in addresses {
      try FuzzFailure.require(FeedURL(address) != nil, "The address \(address)")
    }
  }
}

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
    try file(data)
    if let listed = AccountAnswer.subscriptions(data)?.addresses {
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
        base: state, local: [.init(time: now + 1, progress: 77)], remote: state)
      try FuzzFailure.require(
        step == .none || step == .send(.init(time: now + 1, progress: 77)), "It undoes a mark.")
      let counted = state.counted(duration: 3600)
      try FuzzFailure.require(
        counted.progress >= 0 || action.state.progress >= 2700, "It was not played.")
    }
  }

  /// What the file of an account says is bounded, and what is decided by it never ends the process.
  private static func file(_ data: Data) throws {
    guard let account = AccountFile.account(data) else { return }
    let numbers =
      [account.since, account.filesSince ?? 0, account.lastAttempt ?? 0]
      + [
        account.progress, account.waiting, account.ahead ?? [:], account.removals ?? [:],
        account.recent ?? [:], account.filesAhead ?? [:],
      ].flatMap {
        $0.values.joined()
      }
    try FuzzFailure.require(
      numbers.allSatisfy { (-1...100_000_000_000).contains($0) }, "A number has no limits.")
    for (key, parts) in account.progress where parts.count > 1 {
      let base = EpisodeAction.State(time: parts[0], progress: parts[1])
      let said = (account.waiting[key] ?? []).last.map {
        EpisodeAction.State(time: $0, progress: $0, total: $0).counted(duration: $0)
      }
      _ = EpisodeAction.step(base: base, local: [.init(time: now, progress: 5)], remote: said)
      var ahead = ActionsAhead(account.ahead ?? [:], at: now)
      _ = ahead.received(base, of: key)
      _ = EpisodeAction.position(of: base.progress, duration: parts[0])
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let text = try encoder.encode(account)
    let again = try AccountFile.account(text).map { try encoder.encode($0) }
    try FuzzFailure.require(again == text, "It is read as another one.")
  }

  private static func requireAddresses(_ addresses: [String]) throws {
    for address in addresses {
      try FuzzFailure.require(FeedURL(address) != nil, "The address \(address)")
    }
  }
}

import PodcastModel
import Testing

@testable import PodcastKit

@Suite("Settings of a subscription that contradict each other") struct ContradictionTests {
  private func sentence(_ texts: [SubscriptionSettings.Name: String]) -> String? {
    var settings = SubscriptionSettings()
    for (name, text) in texts { settings[name] = text }
    return settings.contradiction?.message
  }

  @Test func `no episode can meet them`() {
    #expect(
      sentence([.minDuration: "2h", .maxDuration: "10m"])
        == "min-duration is longer than max-duration.")
    #expect(
      sentence([.since: "2026-06-01", .until: "2025-01-01"]) == "since is later than until.")
  }

  @Test func `others are none, and what is wrong alone is not one`() {
    #expect(sentence([:]) == nil)
    #expect(sentence([.minDuration: "10m", .maxDuration: "2h", .since: "30d"]) == nil)
    #expect(sentence([.latest: "many", .maxDuration: "x"]) == nil)
  }
}

import PodcastKit
import Testing

@testable import podget

@Suite("The order of lists") struct ListOrderTests {
  private static let episodes = [
    Sample.local("b", "2024-02-01", bytes: 30, minutes: 5, downloaded: "2024-03-01T00:00:00Z"),
    Sample.local("A", "2023-12-31", podcast: Sample.other, bytes: 10, minutes: 90),
    Sample.local("undated", nil, bytes: 20, minutes: 60, downloaded: "2024-03-02T00:00:00Z"),
    Sample.local("c", "2024-02-02", bytes: 10, downloaded: "2024-02-28T00:00:00Z"),
  ]

  @Test(
    "by each key, the unknown last in both directions",
    arguments: [
      (.date, ["c", "b", "A", "undated"], ["A", "b", "c", "undated"]),
      (.title, ["A", "b", "c", "undated"], ["undated", "c", "b", "A"]),
      (.size, ["b", "undated", "c", "A"], ["c", "A", "undated", "b"]),
      (.duration, ["A", "undated", "b", "c"], ["b", "undated", "A", "c"]),
      (.podcast, ["A", "c", "b", "undated"], ["c", "b", "undated", "A"]),
      (.downloaded, ["undated", "b", "c", "A"], ["c", "b", "undated", "A"]),
    ] as [(ListOrder.Key, [String], [String])])
  func keys(key: ListOrder.Key, forward: [String], backward: [String]) {
    for episodes in [Self.episodes, Self.episodes.reversed()] {
      #expect(Sample.titles(ListOrder(key: key).sorted(episodes)) == forward)
      #expect(Sample.titles(ListOrder(key: key, isReversed: true).sorted(episodes)) == backward)
    }
  }

  @Test("equal keys and dates are ordered by path, whatever the disk says") func ties() {
    let same = ["d", "a", "c", "b"].map { Sample.local($0, "2024-02-01") }
    #expect(Sample.titles(ListOrder().sorted(same)) == ["a", "b", "c", "d"])
    #expect(Sample.titles(ListOrder(key: .size).sorted(same)) == ["a", "b", "c", "d"])
  }
}

import Foundation
import Testing

@testable import PodcastModel

@Suite("Keys of listed episodes") struct ListedKeyTests {
  private func episode(
    guid: String? = nil, title: String = "T", url: String = "", day: Double? = 0
  ) -> Episode {
    Episode(
      guid: guid, title: title, date: day.map { SyncPieces.day($0) },
      enclosure: Enclosure(url: url))
  }

  @Test("a key is the same in every version") func frozen() {
    #expect(ListedKey(episode(guid: " abc ")).value == 0x3AFB_963B_F313_F58C)
    #expect(ListedKey(episode(url: "https://a.example/1.mp3?id=2")).value == 0x733B_DF13_4658_CFE3)
    #expect(ListedKey(episode(title: "Title")).value == 0xC2C7_5E8C_62AE_E5EC)
  }

  @Test("with a guid nothing else matters, without one the address, then title and day")
  func ladder() {
    let one = episode(guid: "g", title: "A", url: "https://a.example/1.mp3", day: 1)
    let other = episode(guid: "g", title: "B", url: "https://b.example/2.mp3", day: 2)
    #expect(ListedKey(one) == ListedKey(other))
    #expect(
      ListedKey(episode(title: "A", url: "http://a.example/1.mp3?utm_source=x"))
        == ListedKey(episode(guid: "", title: "B", url: "https://a.example/1.mp3", day: 9)))
    #expect(
      ListedKey(episode(url: "https://a.example/?id=1"))
        != ListedKey(episode(url: "https://a.example/?id=2")))
    #expect(ListedKey(episode(title: "A – b")) == ListedKey(episode(title: "a - B", day: 0.1)))
    #expect(ListedKey(episode(title: "A")) != ListedKey(episode(title: "A", day: 1)))
    #expect(ListedKey(episode(title: "A")) != ListedKey(episode(title: "A", day: nil)))
    #expect(ListedKey(episode(guid: "x")) != ListedKey(episode(title: "x")))
  }

  @Test("one guid for every episode still gives each its key") func repeated() {
    let old = (1...2).map {
      episode(guid: "g", url: "https://a.example/\($0).mp3", day: Double($0))
    }
    let new = episode(guid: "g", url: "https://a.example/3.mp3", day: 3)
    let keys = ListedItem.items(of: [new] + old).map(\.key)
    #expect(Set(keys).count == 3)
    #expect(Array(keys.dropFirst()) == ListedItem.items(of: old).map(\.key))
    #expect(ListedItem.items(of: [old[0]]).map(\.key) == [ListedKey(old[0])])
  }
}

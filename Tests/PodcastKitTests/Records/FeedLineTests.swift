import Foundation
import PodcastModel
import Testing

@testable import PodcastLibrary

@Suite("Lines about feeds") struct FeedLineTests {
  private func state(_ json: String) throws -> FeedState {
    var state = FeedState()
    try JSONDecoder().decode(FeedLine.self, from: Data(json.utf8)).apply(to: &state)
    return state
  }

  @Test("a line of an earlier version has keys, which count as listed when it was read")
  func earlier() throws {
    let state = try state(
      """
      {"feed":"f","state":{"keys":"AAAAAAAAAAEAAAAAAAAAAg==","lastRead":"2024-06-01T12:00:00Z"},\
      "version":1}
      """)
    #expect(state.listed.keys.map(\.value) == [1, 2])
    #expect(state.listed.days == [19_875, 19_875])
    #expect(state.listed.signs == [.unknown, .unknown])
  }

  @Test("what is stored is read back") func stored() throws {
    var state = FeedState()
    let episodes = ["a", "b"].map { Episode(guid: $0, title: $0, enclosure: Enclosure(url: "")) }
    state.listed.merge(
      ListedItem.items(of: episodes), at: Date(timeIntervalSince1970: 86_400), lastChecked: nil)
    let waiting = Set(ListedItem.items(of: episodes).suffix(1))
    state.listed.setWaiting(waiting, released: [])
    state.waiting = 1
    let line = try RecordEncoder.data(FeedLine("f", state), for: "f")
    var read = FeedState()
    try JSONDecoder().decode(FeedLine.self, from: line).apply(to: &read)
    #expect(read == state)
    #expect(read.listed.days.sorted() == [1, 0x8001])
    #expect(read.listed.waitingCount == 1)
    #expect(!read.listed.signs.contains(.unknown))
  }

  @Test(
    "damaged keys and days are none",
    arguments: [("AAAA", "AAE=", 0), ("AAAAAAAAAAE=", "AAEC", 1), ("AAAAAAAAAAE=", "?", 1)])
  func damaged(keys: String, days: String, count: Int) throws {
    let state = try state(
      "{\"feed\":\"f\",\"state\":{\"keys\":\"\(keys)\",\"days\":\"\(days)\"},\"version\":1}")
    #expect(state.listed.count == count)
    #expect(state.listed.days.allSatisfy { $0 == 0 })
  }
}

import Foundation
import PodcastKit
import TestSupport
import Testing

@Suite struct AccountAnswerTests {
  @Test func `actions are read, and what is none is left out`() throws {
    let text = """
      {"timestamp":900,"actions":[
      {"podcast":"https://a.example/f","episode":"https://a.example/1.mp3","action":"PLAY","guid":"g",
       "timestamp":"1970-01-01T00:10:00","started":0,"position":50,"total":1000},
      {"podcast":"https://a.example/f","episode":"https://a.example/2.mp3","action":"play",
       "timestamp":"1970-01-01T00:10:00Z","position":990,"total":1000},
      {"podcast":"https://a.example/f","episode":"https://a.example/3.mp3","action":"new",
       "timestamp":"2200-01-01T00:00:00"},
      {"podcast":"https://a.example/f","episode":"https://a.example/4.mp3","action":"delete"},
      {"podcast":"https://a.example/f","episode":"file:///etc/passwd","action":"play","position":1},
      {"podcast":"https://a.example/f","episode":"https://a.example/5.mp3","action":"play","position":-5},
      {"podcast":7}, null, "x"]}
      """
    let found = try #require(AccountAnswer.actions(Data(text.utf8), now: 1000))
    #expect(found.next == 900)
    #expect(found.actions.map { $0.state.counted(duration: nil).progress } == [50, -1, 0])
    #expect(found.actions.map(\.state.time) == [600, 600, 7_258_118_400])
    #expect(found.actions[0].guid == "g")
  }

  @Test(arguments: [
    "access_token", "uid", "hash", "Token", "signature", "Key-Pair-Id", "X-Amz-Credential",
  ])
  func `parameters that are secrets`(name: String) throws {
    func isPrivate(_ address: String) throws -> Bool {
      Account.isPrivate(Subscription(name: "", title: "", feedURL: try #require(FeedURL(address))))
    }
    #expect(try isPrivate("https://a.example/feed?\(name)=7"))
    #expect(try isPrivate("https://a.example/feed?page=1&amp;\(name)=7"))
    #expect(try !isPrivate("https://a.example/feed?page=1&format=mp3"))
  }

  @Test func `hostile answers are bounded`() {
    // What is left out would be removed here.
    let many = Array(repeating: "\"https://a.example/f\"", count: 20_010).joined(separator: ",")
    #expect(AccountAnswer.subscriptions(Data("{\"add\":[\(many)]}".utf8)) == nil)
    // Of actions the latest count, wherever they are.
    let actions = (0..<100_010).map { number in
      "{\"podcast\":\"http://a\",\"episode\":\"http://b/\(number)\",\"action\":\"new\",\"timestamp\":"
        + (number == 7 ? "\"2020-01-01T00:00:00\"}" : "\"2019-01-01T00:00:00\"}")
    }.joined(separator: ",")
    let found = AccountAnswer.actions(Data("{\"actions\":[\(actions)]}".utf8), now: 1)
    #expect(found?.actions.count == 100_000)
    #expect(found?.actions.last?.episode == "http://b/7")
    // Each would take a hundred bytes.
    let small = Data("{\"actions\":[\(String(repeating: "1,", count: 600_001))1]}".utf8)
    #expect(AccountAnswer.actions(small, now: 1) == nil)
    #expect(AccountAnswer.subscriptions(Data("<html>".utf8)) == nil)
    let odd = AccountAnswer.subscriptions(
      Data("{\"add\":[1,null,\"ftp://x\",\"http://x\"]}".utf8))
    #expect(odd?.addresses == ["http://x"] && odd?.unread == 3)
    let deep = String(repeating: "[", count: 100_000)
    #expect(AccountAnswer.subscriptions(Data("{\"add\":\(deep)".utf8)) == nil)
    #expect(AccountAnswer.actions(Data("{\"actions\":\(deep)".utf8), now: 1) == nil)
    #expect(AccountAnswer.updates(Data("[]".utf8)).isEmpty)
  }

  @Test func `any bytes are an answer or none`() {
    var random = SeededGenerator(seed: 7)
    let pieces = [
      "{", "}", "[", "]", "\"add\":", "\"actions\":", ",", "\"https://a.example\"", "null", "1e99",
      "\"timestamp\":", "-1", "\"update_urls\":", "\u{0}",
    ]
    for _ in 0..<2000 {
      let text = (0..<12).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      _ = AccountAnswer.subscriptions(Data(text.utf8))
      _ = AccountAnswer.updates(Data(text.utf8))
      if let found = AccountAnswer.actions(Data(text.utf8), now: 1000) {
        #expect((0...1000).contains(found.next))
      }
    }
  }
}

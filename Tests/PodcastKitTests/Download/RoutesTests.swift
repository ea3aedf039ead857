import Testing

@testable import PodcastKit

@Suite("Where an episode's bytes may come from") struct RoutesTests {
  private static let own = "https://a.example/1.mp3"
  private static let source = "https://cdn.example/1.mp3"

  private func routes(from source: String? = nil, hasDirectory: Bool = false) -> Routes {
    var routes = Routes(Self.own, allowsInsecureRedirects: false, hasDirectory: hasDirectory)
    routes.begin(source: source)
    routes.ask(Self.own)
    return routes
  }

  @Test("the address of the bytes on disk is asked once, and left for good") func source() {
    var routes = routes(from: Self.source)
    #expect(routes.present == Self.own && routes.hasOtherSource)
    let isTaken = routes.takeSource()
    #expect(isTaken && routes.present == Self.source && routes.isAtSource)
    #expect(!routes.hasOtherSource)
    let isLeft = routes.leaveSource()
    #expect(isLeft && routes.present == Self.own && !routes.isAtSource)
    routes.begin(source: Self.source)
    routes.ask(Self.own)
    let again = [routes.takeSource(), routes.leaveSource()]
    #expect(again == [false, false])
  }

  @Test(
    "an address that was just asked, or must not be asked, is no other",
    arguments: [nil, own, "http://cdn.example/1.mp3", "https://me:pw@cdn.example/1.mp3"])
  func noSource(_ source: String?) {
    var routes = routes(from: source)
    #expect(!routes.hasOtherSource)
    let isTaken = routes.takeSource()
    #expect(!isTaken && routes.present == Self.own)
  }

  @Test("the target of a redirect is the address that was asked") func target() {
    var routes = routes(from: Self.source)
    #expect(routes.hasOtherSource)
    routes.ask(Self.source)
    #expect(!routes.hasOtherSource)
  }

  @Test("the address is asked anew once an attempt, the directory once") func detours() {
    var routes = routes(hasDirectory: true)
    for _ in 1...2 {
      routes.begin(source: nil)
      let anew = [routes.takeAnew(), routes.takeAnew()]
      #expect(anew == [true, false])
    }
    let directory = [routes.takeDirectory(), routes.takeDirectory()]
    #expect(directory == [true, false])
    var others = self.routes()
    let isTaken = others.takeDirectory()
    #expect(!isTaken)
  }

  @Test("a new address takes the place of the episode's own") func moves() {
    var routes = routes(from: Self.source)
    let moves = [routes.move(to: Self.own), routes.move(to: "https://b.example/1.mp3")]
    #expect(moves == [false, true] && routes.present == "https://b.example/1.mp3")
    let atSource = [routes.takeSource(), routes.move(to: "https://c.example/1.mp3")]
    #expect(atSource == [true, true] && routes.present == Self.source)
    routes.leaveSource()
    #expect(routes.present == "https://c.example/1.mp3")
  }
}

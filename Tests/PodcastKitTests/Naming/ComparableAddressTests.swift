import Testing

@testable import PodcastModel

@Suite("Comparable addresses") struct ComparableAddressTests {
  @Test(
    "prefixes and spelling of an address do not count",
    arguments: [
      ("HTTP://Cdn.Example.COM:80/Show/1.mp3#t=1", "cdn.example.com/Show/1.mp3"),
      ("https://cdn.example.com:443/a%20b.mp3", "cdn.example.com/a b.mp3"),
      ("https://cdn.example.com:8443/1.mp3", "cdn.example.com:8443/1.mp3"),
      ("//cdn.example.com/1.mp3", "cdn.example.com/1.mp3"),
      ("http://www.podtrac.com/pts/redirect.mp3/cdn.example.com/1.mp3", "cdn.example.com/1.mp3"),
      ("https://dts.podtrac.com/redirect.aac/cdn.example.com/1.aac", "cdn.example.com/1.aac"),
      (
        "https://play.podtrac.com/npr-1/edge1.example.org/anon/1.mp3",
        "edge1.example.org/anon/1.mp3"
      ),
      (
        "https://pdst.fm/e/chrt.fm/track/479722/arttrk.com/p/CRMDA/claritaspod.com/measure/"
          + "pscrb.fm/rss/p/mgln.ai/e/284/pdrl.fm/b85a46/cdn.example.com/1.mp3?x=1",
        "cdn.example.com/1.mp3"
      ),
      (
        "https://op3.dev/e,pg=ead4c236/2.gum.fm/prfx.byspotify.com/e/cdn.example.com/1.mp3",
        "cdn.example.com/1.mp3"
      ),
      ("https://media.blubrry.com/x/y/http://cdn.example.com/1.mp3", "cdn.example.com/1.mp3"),
      (
        "https://anchor.fm/s/2b/podcast/play/16/https%3A%2F%2Fcdn.example.com%2F2020-6-10%2F22.mp3",
        "cdn.example.com/2020-6-10/22.mp3"
      ),
      // Nothing is removed if a service serves the file itself, or a folder only looks like one.
      ("https://media.blubrry.com/show/1.mp3", "media.blubrry.com/show/1.mp3"),
      (
        "https://rf.proxycast.org/m/media/27.mp3?media_url=http%3A%2F%2Fx.example%2F1.mp3",
        "rf.proxycast.org/m/media/27.mp3"
      ),
      (
        "https://cdn.example.com/other.example.com/1.mp3", "cdn.example.com/other.example.com/1.mp3"
      ),
      ("notpodtrac.com/x", "notpodtrac.com/x"),
      ("https://notpodtrac.com/a/cdn.example.com/1.mp3", "notpodtrac.com/a/cdn.example.com/1.mp3"),
    ])
  func places(text: String, place: String) {
    #expect(ComparableAddress(text)?.place == place)
  }

  @Test("the query stays, wherever it is") func queries() {
    #expect(ComparableAddress("https://a.example/p.php?id=5#x")?.query == "id=5")
    #expect(
      ComparableAddress("https://pdst.fm/e/https%3A%2F%2Fa.example%2Fp.php%3Fid%3D5?u=1")?.query
        == "id=5")
    #expect(ComparableAddress("https://pdst.fm/e/a.example/p.mp3?u=1")?.query == "u=1")
    #expect(ComparableAddress(" ") == nil)
  }

  @Test("a file's name counts if it can identify an episode") func fileNames() {
    #expect(ComparableAddress("https://a.example/x/LUP-0232.mp3?y")?.fileName == "lup-0232")
    for address in [
      "https://a.example/x/default.mp3", "https://a.example", "https://a.example/1.mp3",
    ] {
      #expect(ComparableAddress(address)?.fileName == nil)
    }
  }

  @Test("a host with very many labels is parsed quickly", .timeLimit(.minutes(5))) func labels() {
    let host = String(repeating: "a.", count: 500_000) + "com"
    #expect(ComparableAddress("https://\(host)/1.mp3")?.place == "\(host)/1.mp3")
    #expect(TrackingServices.ownSegments(of: "a.b.dts.podtrac.com") == 2)
  }

  @Test("an expensive address is parsed within limits") func nesting() {
    let nested = String(repeating: "pdst.fm/e/", count: 5_000)
    #expect(ComparableAddress("https://\(nested)a.example/1.mp3") != nil)
  }
}

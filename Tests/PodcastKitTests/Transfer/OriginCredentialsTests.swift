import Testing

@testable import PodcastTransfer

@Suite("Credentials of an origin") struct OriginCredentialsTests {
  @Test("they are taken out of an address and go to its origin only")
  func origins() {
    let credentials = OriginCredentials()
    let clean = credentials.take(from: "https://ada:s%40e@host.example:8443/feed?x=1")
    #expect(clean == "https://host.example:8443/feed?x=1")
    let added = credentials.authorized("https://host.example:8443/a.mp3")
    #expect(added == "https://ada:s%40e@host.example:8443/a.mp3")
    for other in [
      "http://host.example:8443/a.mp3", "https://host.example/a.mp3",
      "https://other.example:8443/a.mp3", "https://me:x@host.example:8443/a.mp3",
    ] {
      #expect(credentials.authorized(other) == other)
    }
    #expect(credentials.take(from: "https://host.example/plain") == "https://host.example/plain")
  }

  @Test("any characters can be in a password") func encoding() {
    let credentials = OriginCredentials()
    credentials.set(user: "a:b", password: "p@/ß", for: "http://host.example/feed")
    #expect(
      credentials.authorized("http://host.example/x") == "http://a%3Ab:p%40%2F%C3%9F@host.example/x"
    )
  }
}

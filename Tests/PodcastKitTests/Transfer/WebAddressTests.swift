import Testing

@testable import PodcastModel

@Suite("Addresses") struct WebAddressTests {
  @Test(
    "a request has the address as published, except for illegal characters",
    arguments: [
      ("https://a.example/b.mp3?c=d#e", "https://a.example/b.mp3?c=d#e"),
      ("https://a.example/a b.mp3", "https://a.example/a%20b.mp3"),
      ("  https://a.example/a.mp3\n", "https://a.example/a.mp3"),
      ("https://a.example/x%2Fy%20z.mp3", "https://a.example/x%2Fy%20z.mp3"),
      ("https://a.example/100%.mp3", "https://a.example/100%.mp3"),
      ("https://a.example/ä.mp3", "https://a.example/%C3%A4.mp3"),
      ("https://a.example/日?q=é", "https://a.example/%E6%97%A5?q=%C3%A9"),
      ("//a.example/b.mp3", "https://a.example/b.mp3"),
      ("https://bücher.example/ü", "https://bücher.example/%C3%BC"),
      ("http://a.example?x=\"y\"", "http://a.example?x=%22y%22"),
      ("https://a.example/+[1]{2}|~", "https://a.example/+[1]{2}|~"),
      ("https://u:p@a.example:8443/b", "https://u:p@a.example:8443/b"),
      ("https://u:p@ss w\u{f6}rd@a.example/b@c", "https://u:p%40ss%20w%C3%B6rd@a.example/b@c"),
      ("https://u%40x:p@a.example", "https://u%40x:p@a.example"),
    ])
  func forRequest(published: String, sent: String) {
    #expect(WebAddress.forRequest(published) == sent)
  }

  @Test(
    "scheme, host and port count as one host",
    arguments: [
      ("HTTP://A.Example:80/b", "http://a.example"), ("https://a.example", "https://a.example"),
      ("https://a.example:443/", "https://a.example"),
      ("https://a.example:80/", "https://a.example:80"),
      ("http://u:p@127.0.0.1:8080?x", "http://127.0.0.1:8080"),
      ("http://[::1]:81/", "http://[::1]:81"), ("http://[::1]/", "http://[::1]"),
    ])
  func origin(text: String, origin: String) {
    #expect(WebAddress(text)?.origin == origin)
  }

  @Test(
    "an invalid address is refused", arguments: ["", "a.mp3", "/b", "http:/a", "http://", "1a://b"])
  func none(text: String) {
    #expect(WebAddress(text) == nil)
  }

  /// In Swift "/" and a combining mark are one character that is no slash; libcurl reads bytes.
  @Test("a combining mark hides no part of an address")
  func combiningMarks() throws {
    let text = "http://one.example/\u{336}@two.example?\u{336}a=1#\u{336}"
    let address = try #require(WebAddress(text))
    #expect(address.origin == "http://one.example" && address.userinfo == nil)
    #expect(address.path == "/\u{336}@two.example" && address.query == "\u{336}a=1")
    let sent = WebAddress.forRequest("http://a:b@\u{336}one.example/\u{336}@two.example")
    #expect(sent == "http://a:b@\u{336}one.example/%CC%B6@two.example")
  }

  @Test("only http and https can be fetched")
  func schemes() {
    #expect(WebAddress("ftp://a.example/b")?.isHTTP == false)
    #expect(WebAddress("HTTPS://a.example/b")?.isHTTP == true)
  }
}

import Foundation
import Testing

@testable import PodcastModel
@testable import PodcastTransfer

@Suite("Cookies of a redirect chain") struct CookieJarTests {
  private let now = Date(timeIntervalSince1970: 1_700_000_000)

  private func field(
    _ setCookies: [String], from source: String, to target: String, after seconds: Double = 0
  ) throws -> String? {
    var jar = CookieJar()
    let head = ResponseHead(status: 302, fields: setCookies.map { HTTPField("Set-Cookie", $0) })
    jar.take(head, from: try #require(WebAddress(source)), at: now)
    let address = try #require(WebAddress(target))
    return jar.field(for: address, at: now.addingTimeInterval(seconds))?.value
  }

  @Test(
    "a cookie goes back to the host that set it, within its path and its time",
    arguments: [
      ("a=b", "http://h/x/y", "http://h/x/z", "a=b"), ("a=b", "http://h/x/y", "http://h/", nil),
      ("a=b; Path=/", "http://h/x/y", "http://h/", "a=b"),
      ("a=b; Path=/x", "http://h/", "http://h/xy", nil),
      ("a=b; Path=/x", "http://h/", "http://h/x", "a=b"),
      ("a=b; Path=nothing", "http://h/x/y", "http://h/x", "a=b"),
      ("a=b", "http://h/", "http://i/", nil), ("a=b", "http://h/", "http://h:81/", nil),
      ("a=b", "http://h:80/", "https://h/", "a=b"), ("a=b", "http://H/", "http://h/", "a=b"),
      ("a=b; Domain=example.com", "http://x.example.com/", "http://x.example.com/", "a=b"),
      ("a=b; Domain=.example.com", "http://x.example.com/", "http://y.example.com/", nil),
      ("a=b; Domain=other.com", "http://x.example.com/", "http://x.example.com/", nil),
      ("a=b; Domain=ample.com", "http://x.example.com/", "http://x.example.com/", nil),
      ("a=b; Secure", "https://h/", "https://h/", "a=b"),
      ("a=b; Secure", "https://h/", "http://h/", nil),
      ("a=b; Secure", "http://h/", "https://h/", nil),
      ("__Host-a=b", "http://h/", "http://h/", nil),
      ("a=b; Max-Age=0", "http://h/", "http://h/", nil),
      ("a=b; Max-Age=-1", "http://h/", "http://h/", nil),
      ("a=b; Max-Age=9", "http://h/", "http://h/", "a=b"),
      ("a=b; Max-Age=99999999999999999999", "http://h/", "http://h/", "a=b"),
      ("a=b; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "http://h/", "http://h/", nil),
      ("a=b; Expires=Thu, 01-Jan-1970 00:00:00 GMT", "http://h/", "http://h/", nil),
      ("a=b; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=9", "http://h/", "http://h/", "a=b"),
      ("a=b; Expires=some day", "http://h/", "http://h/", "a=b"),
      ("a=", "http://h/", "http://h/", "a="),
      ("a = b = c ", "http://h/", "http://h/", "a=b = c"), ("=b", "http://h/", "http://h/", nil),
      ("a", "http://h/", "http://h/", nil), ("a=b\u{1}", "http://h/", "http://h/", nil),
      ("a=b\r\nX: y", "http://h/", "http://h/", nil),
    ] as [(String, String, String, String?)])
  func cookies(cookie: String, source: String, target: String, sent: String?) throws {
    #expect(try field([cookie], from: source, to: target) == sent)
  }

  @Test("an expired cookie is not sent") func expiry() throws {
    let cookie = ["a=b; Max-Age=9"]
    #expect(try field(cookie, from: "http://h/", to: "http://h/", after: 8) == "a=b")
    #expect(try field(cookie, from: "http://h/", to: "http://h/", after: 9) == nil)
  }

  @Test("a later cookie of the same name replaces the earlier one") func replacement() throws {
    #expect(try field(["a=1", "b=2", "a=3"], from: "http://h/", to: "http://h/") == "b=2; a=3")
    #expect(try field(["a=1", "a=; Max-Age=0"], from: "http://h/", to: "http://h/") == nil)
  }

  @Test("number and size are bounded") func bounds() throws {
    let many = (1...1000).map { "c\($0)=\($0)" }
    let sent = try #require(try field(many, from: "http://h/", to: "http://h/"))
    #expect(sent.split(separator: "; ").count == CookieJar.countLimit)
    #expect(sent.hasSuffix("c1000=1000"))
    let long = "a=" + String(repeating: "x", count: CookieJar.sizeLimit)
    #expect(try field([long], from: "http://h/", to: "http://h/") == nil)
  }
}

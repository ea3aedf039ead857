import Foundation
import Testing

@testable import PodcastTransfer

@Suite("Redirect chains") struct RedirectChainTests {
  private let now = Date(timeIntervalSince1970: 1_700_000_000)

  private func end(of hops: [String], from start: String) throws -> String {
    var chain = RedirectChain(start, allowsInsecureRedirects: false)
    for hop in hops { try chain.follow(hop, nil, at: now) }
    return chain.url
  }

  @Test(
    "a password is sent to its origin, and to no other",
    arguments: [
      (["https://a/2"], "https://u:p@a/2"), (["https://a:443/2"], "https://u:p@a:443/2"),
      (["https://b/2"], "https://b/2"), (["https://a:8443/2"], "https://a:8443/2"),
      (["https://a.b/2"], "https://a.b/2"), (["https://b/2", "https://a/3"], "https://u:p@a/3"),
      (["https://x:y@b/2"], "https://x:y@b/2"),
      (["https://x:y@b/2", "https://b/3"], "https://b/3"),
      (["https://x:y@a/2"], "https://x:y@a/2"),
    ])
  func credentials(hops: [String], asked: String) throws {
    #expect(try end(of: hops, from: "https://u:p@a/1") == asked)
  }

  @Test("another address on the original's origin gets the original's password")
  func heldAddress() {
    func asked(_ held: String) -> String {
      RedirectChain(held, original: "https://u:p@ss@a/1", allowsInsecureRedirects: false).url
    }
    #expect(asked("https://a/2") == "https://u:p%40ss@a/2")
    #expect(asked("https://b/2") == "https://b/2")
  }

  @Test(
    "when a stored address may replace the original",
    arguments: [
      ("https://b/2", "https://a/1", false, true), ("http://b/2", "https://a/1", false, false),
      ("http://b/2", "https://a/1", true, true), ("http://b/2", "http://a/1", false, true),
      ("https://u:p@b/2", "https://a/1", true, false),
      ("file:///etc/passwd", "http://a/1", true, false),
      ("ftp://b/2", "http://a/1", true, false), ("", "http://a/1", true, false),
      ("https://b/2", "nonsense", true, false),
    ])
  func mayAsk(stored: String, original: String, isInsecure: Bool, may: Bool) {
    #expect(
      RedirectChain.mayAsk(stored, insteadOf: original, allowsInsecure: isInsecure) == may)
  }

  @Test("a too long address is not requested") func tooLong() {
    let long = "https://a/" + String(repeating: "://a:b", count: 15_000)
    #expect(RedirectChain(long, allowsInsecureRedirects: false).address == nil)
    var chain = RedirectChain("https://a/1", allowsInsecureRedirects: false)
    #expect(throws: RedirectChain.Refusal.scheme(target: "")) {
      try chain.follow(long, nil, at: now)
    }
  }

  @Test("a refused redirect does not change the request") func refusals() {
    var chain = RedirectChain("https://a/1", allowsInsecureRedirects: false)
    #expect(throws: RedirectChain.Refusal.insecure(host: "b")) {
      try chain.follow("http://b/", nil, at: now)
    }
    #expect(throws: RedirectChain.Refusal.scheme(target: "file:///x")) {
      try chain.follow("file:///x", nil, at: now)
    }
    #expect(chain.url == "https://a/1")
    for _ in 3...10 {
      #expect(throws: Never.self) { try chain.follow("https://a/1", nil, at: now) }
    }
    #expect(throws: RedirectChain.Refusal.tooMany) { try chain.follow("https://a/1", nil, at: now) }
  }

  @Test("over http netrc is for named origins only") func namedOrigins() {
    let named = NamedOrigins(["http://NAS:80/feed", "https://u:p@b/", "nonsense"])
    #expect(named.allowPasswords(for: "http://nas/other"))
    #expect(!named.allowPasswords(for: "http://nas:81/"))
    #expect(!named.allowPasswords(for: "http://b/"))
    #expect(named.allowPasswords(for: "https://anywhere/"))
    #expect(!named.allowPasswords(for: "nonsense"))
    #expect(!NamedOrigins().allowPasswords(for: "http://nas/"))
  }
}

import Testing

@testable import PodcastModel
@testable import PodcastTransfer

/// RFC 3986, section 5.4, and what hosts send.
@Suite("Targets of redirects") struct RedirectTargetTests {
  @Test(
    "a reference is resolved against the requested address",
    arguments: [
      ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("/g", "http://a/g"),
      ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
      ("../g", "http://a/b/g"), ("../../../g", "http://a/g"), ("https://x/y?z", "https://x/y?z"),
      ("http://x/a b", "http://x/a b"), ("ftp://x/y", "ftp://x/y"),
      ("mms-odd://x/y", "mms-odd://x/y"),
    ])
  func resolve(reference: String, target: String) {
    #expect(RedirectChain.target(reference, against: "http://a/b/c/d;p?q") == target)
  }

  @Test("a reference that cannot be resolved stays as it is")
  func unresolvable() {
    for reference in ["http://", "http://[", "javascript:alert(1)"] {
      let target = RedirectChain.target(reference, against: "http://a/b")
      #expect(target.flatMap { WebAddress($0) }?.host ?? "a" == "a", "\(target ?? "none")")
    }
  }
}

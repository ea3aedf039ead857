import TestSupport
import Testing

@testable import PodcastModel
@testable import PodcastTransfer

@Suite("~/.netrc") struct NetrcFileTests {
  private static let text = """
    # The feeds at home.
    machine NAS login me password one
    machine nas:8443
      login me
      password "tw\\"o # \\t"
    machine twice login ann password a machine twice login bob account x password b
    machine [::1] login six password v6
    machine 2001:db8::1 login plain password v6
    machine half login only
    macdef init
    machine macro login me password never

    machine after login me password after
    default login anonymous password everybody
    machine late login me password "no end
    machine lost login me password never
    """

  /// The login for an address as `user:password`.
  private static func login(_ url: String, allowsDefault: Bool = false) throws -> String? {
    let address = try #require(WebAddress(url))
    return NetrcFile(Array(text.utf8)).login(for: address, allowsDefault: allowsDefault).map {
      String(decoding: $0.user + [UInt8(ascii: ":")] + $0.password, as: UTF8.self)
    }
  }

  @Test(
    "an entry is for its host, and for its port if it has one",
    arguments: [
      ("https://nas/feed", "me:one"), ("http://nas:81/", "me:one"),
      ("https://nas:8443/", "me:tw\"o # \t"), ("https://you@nas/", nil),
      ("https://me@nas/", "me:one"), ("https://me:own@nas/", nil), ("https://me:@nas/", nil),
      ("https://twice/", "ann:a"), ("https://bob@twice/", "bob:b"), ("https://eve@twice/", nil),
      ("https://[::1]/", "six:v6"), ("https://[2001:db8::1]:1/", "plain:v6"),
      ("https://half/", "only:"), ("https://macro/", nil), ("https://after/", "me:after"),
      ("https://late/", "me:"), ("https://lost/", nil), ("https://nas.example/", nil),
      ("https://default/", nil),
    ])
  func entries(url: String, login: String?) throws {
    #expect(try Self.login(url) == login)
  }

  @Test("the default entry is for hosts that the user named, and comes last")
  func defaultEntry() throws {
    #expect(try Self.login("https://other/") == nil)
    #expect(try Self.login("https://other/", allowsDefault: true) == "anonymous:everybody")
    #expect(try Self.login("https://nas/", allowsDefault: true) == "me:one")
    #expect(try Self.login("https://eve@other/", allowsDefault: true) == nil)
    #expect(try Self.login("https://eve:own@other/", allowsDefault: true) == nil)
  }

  @Test("passwords of the default entry go to named origins alone") func origins() throws {
    let folder = try TemporaryFolder()
    var session = CurlSession.Configuration(userAgent: "podget-test")
    session.netrcFile = try folder.write("netrc", Self.text)
    session.namedOrigins = NamedOrigins(["https://feeds.example/1", "http://plain.example:8080/"])
    let named = ["https://feeds.example/2.mp3", "http://plain.example:8080/2.mp3"]
    let others = [
      "https://feeds.example:8443/", "http://feeds.example/", "https://plain.example:8080/",
      "https://cdn.example/", "http://nas/", "nonsense",
    ]
    #expect(named.allSatisfy { session.netrcLogin(for: $0)?.user == Array("anonymous".utf8) })
    #expect(others.allSatisfy { session.netrcLogin(for: $0) == nil })
    #expect(session.netrcLogin(for: "https://nas/") != nil)
  }

  @Test("a file that is too long, or none, is ignored") func unreadable() throws {
    let folder = try TemporaryFolder()
    let long = Self.text + String(repeating: "#", count: Int(NetrcFile.longestFile))
    #expect(NetrcFile.read(try folder.write("long", long)) == nil)
    #expect(NetrcFile.read(folder.path("missing")) == nil)
    #expect(NetrcFile.read(folder.path("")) == nil)
  }
}

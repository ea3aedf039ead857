import Foundation
import LoopbackServer
import TestSupport
import Testing

/// `subscribe`, `unsubscribe`, `subscriptions`, `import` and `export`, and the file behind them.
@Suite(.serialized) struct SubscriptionTests {
  private typealias Item = FeedHost.Item
  private typealias Feed = FeedHost.Feed

  private let follower: Follower

  init() throws {
    follower = try Follower([
      "/a": Feed(title: "The Symbolic World", [Item(3), Item(2), Item(1)]),
      "/b": Feed(title: "Other", [Item(5)]),
    ])
  }

  private var origin: String { follower.host.origin }

  private func statuses(_ result: RunningProcess.Result) throws -> [String] {
    try result.values("status")
  }

  @Test func `a podcast is one subscription however it is named`() async throws {
    let address = "\(origin)/a"
    let first = try await follower.run("subscribe", address, "--json")
    #expect(first.status == .exited(0))
    #expect(try statuses(first) == ["subscribed"])
    #expect(try first.values("name") == ["the-symbolic-world"])
    for source in [
      address, "the-symbolic-world", "The Symbolic World",
      "feed://\(origin.dropFirst("http://".count))/a",
    ] {
      let again = try await follower.run("subscribe", source, "--json")
      #expect(try statuses(again) == ["unchanged"], "\(source)")
    }
    let changed = try await follower.run(
      "subscribe", "the-symbolic-world", "--latest", "2", "--match", "[0-9]", "--json")
    #expect(try statuses(changed) == ["updated"])
    let listed = try await follower.run("subs", "--json")
    #expect(try listed.objects.count == 1)
    let settings = try #require(try listed.objects.first?["settings"] as? [String: Any])
    #expect(settings["latest"] as? Int == 2 && settings["match"] as? String == "[0-9]")
    #expect(follower.episodes.isEmpty)
    #expect(follower.host.feedRequests.count == 1)
  }

  @Test func `a source that is no podcast fails alone`() async throws {
    let result = try await follower.run(
      "subscribe", "\(origin)/a", "\(origin)/missing", "nothing", "--json")
    #expect(result.status == .exited(1))
    #expect(try statuses(result) == ["subscribed", "failed", "failed"])
    let codes = try result.objects.map { ($0["error"] as? [String: Any])?["code"] as? String }
    #expect(codes == [nil, "httpStatus", "notFound"])
  }

  @Test func `settings are removed by name`() async throws {
    _ = try await follower.follow("/a", "--latest", "3", "--exclude", "x", "--name", "n")
    let changed = try await follower.run(
      "subscribe", "n", "--unset", "exclude", "--since", "30d", "--json")
    #expect(try statuses(changed) == ["updated"])
    let listed = try await follower.run("subs", "--json")
    let settings = try #require(try listed.objects.first?["settings"] as? [String: Any])
    #expect(settings.keys.sorted() == ["latest", "since"])
    let wrong = try await follower.run("subscribe", "n", "--unset", "exlude")
    #expect(wrong.status == .exited(64) && wrong.error.contains("did you mean exclude?"))
  }

  @Test func `a followed podcast gets a login, and one that moved is found by its first address`()
    async throws
  {
    _ = try await follower.follow("/a", "--name", "n")
    let login = try await follower.run(
      "subscribe", "n", "--user", "u", "--password-command", "echo p", "--json")
    #expect(try statuses(login) == ["updated"], "\(login.error)")
    try follower.folder.write(
      "library/.podget/subscriptions.opml",
      follower.file.replacing(
        "xmlUrl=\"\(origin)/a\"", with: "xmlUrl=\"\(origin)/new\" podget:first=\"\(origin)/a\""))
    let again = try await follower.run("subscribe", "\(origin)/a", "--json")
    #expect(try statuses(again) == ["unchanged"] && again.values("name") == ["n"])
  }

  @Test func `an address that a feed has left is asked, and may be another podcast's by now`()
    async throws
  {
    _ = try await follower.follow("/a", "--name", "n")
    func moved(_ file: String) -> String {
      file.replacing(
        "xmlUrl=\"\(origin)/a\"", with: "xmlUrl=\"\(origin)/new\" podget:first=\"\(origin)/a\"")
    }
    try follower.folder.write("library/.podget/subscriptions.opml", moved(try follower.file))
    // The same podcast under another title: its feed is where the subscription is.
    follower.host["/new"] = Feed(title: "A New Title", [Item(3)])
    follower.host["/a"] = .redirect(301, to: "\(origin)/new")
    let same = try await follower.run("subscribe", "\(origin)/a", "--json")
    #expect(try statuses(same) == ["unchanged"] && same.values("name") == ["n"], "\(same.error)")
    // An outline without a title names the subscription; one with another title is another podcast.
    let untitled = "<opml><body><outline xmlUrl='\(origin)/a'/></body></opml>"
    let imported = try await follower.run("import", "-", "--json", input: untitled)
    #expect(try statuses(imported) == ["unchanged"], "\(imported.error)")

    follower.host["/a"] = Feed(title: "Talk", [Item(9)])
    let other = try await follower.run("subscribe", "\(origin)/a", "--json")
    #expect(try statuses(other) == ["subscribed"] && other.values("name") == ["talk"])
    let listed = try await follower.run("subs", "--json")
    #expect(try listed.values("feedUrl") == ["\(origin)/new", "\(origin)/a"])
    _ = try await follower.run("unsubscribe", "talk")
    try follower.folder.write("library/.podget/subscriptions.opml", moved(try follower.file))
    let titled = untitled.replacing("<outline ", with: "<outline text='Talk' ")
    let again = try await follower.run("import", "-", "--json", input: titled)
    #expect(try statuses(again) == ["subscribed"] && again.values("name") == ["talk"])
  }

  @Test func `a login follows a feed to another server when the user accepts that`() async throws {
    follower.host.authorization = "Basic " + Data("ada:secret".utf8).base64EncodedString()
    let other = try FeedHost(["/new": follower.host["/a"]])
    follower.host["/a"].head = "<itunes:new-feed-url>\(other.origin)/new</itunes:new-feed-url>"
    let subscribed = try await follower.follow(
      "/a", "--name", "n", "--user", "ada", "--password-command", "echo secret")
    #expect(subscribed.status == .exited(0), "\(subscribed.error)")
    let synced = try await follower.run("sync", "--json")
    #expect(synced.status == .exited(0), "\(synced.error)")
    #expect(synced.output.contains("\"waitingMove\":\"\(other.origin)/new\""))
    #expect(synced.error.contains("podget subscribe --accept-move n"))
    let listed = try await follower.run("subscriptions", "--json")
    #expect(try listed.values("waitingMove") == ["\(other.origin)/new"])
    #expect(try await follower.run("subs").output.contains("podget subscribe --accept-move n"))
    #expect(other.log.allSatisfy { $0.request.first("Authorization") == nil })

    let accepted = try await follower.run("subscribe", "--accept-move", "n", "--json")
    #expect(try statuses(accepted) == ["updated"], "\(accepted.error)")
    #expect(try accepted.values("feedUrl") == ["\(other.origin)/new"])
    #expect(try await follower.run("sync").status == .exited(0))
    #expect(other.log.last?.request.first("Authorization") == follower.host.authorization)
    #expect(try follower.file.contains("podget:login-origin=\"\(other.origin)\""))
    let exported = try await follower.run("export")
    #expect(!exported.output.contains("login-origin"))
    let again = try await follower.run("subscribe", "--accept-move", "n", "--json")
    #expect(try statuses(again) == ["failed"] && again.status == .exited(1))
  }

  @Test func `folders in folders without end are cut`() async throws {
    let deep = String(repeating: "/a", count: 60_000)
    try follower.folder.write(
      "library/.podget/subscriptions.opml",
      "<opml version=\"2.0\"><body><outline text=\"t\" category=\"\(deep)\" "
        + "xmlUrl=\"\(origin)/a\"/></body></opml>")
    let result = try await follower.run("export")
    #expect(result.status == .exited(0) && result.output.contains("xmlUrl"))
  }

  @Test func `an export through a link replaces what it leads to`() async throws {
    _ = try await follower.follow("/a")
    let file = try follower.folder.write("real.opml", "old")
    let link = follower.folder.path("link.opml")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
    #expect(try await follower.run("export", link).status == .exited(0))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == file)
    #expect(String(decoding: try follower.folder.read("real.opml"), as: UTF8.self).contains("opml"))
  }

  @Test func `unsubscribe keeps the files`() async throws {
    _ = try await follower.follow("/a", "--latest", "1")
    _ = try await follower.run("sync")
    let result = try await follower.run("unsubscribe", "The Symbolic World", "nobody", "--json")
    #expect(result.status == .exited(1))
    #expect(try statuses(result) == ["unsubscribed", "failed"])
    #expect(
      result.error
        == "podget: nobody: No subscription has this name; podget subscriptions lists the names.\n")
    #expect(follower.episodes.count == 1)
    #expect(try await follower.run("subscriptions", "--json").objects.isEmpty)
  }

  @Test func `settings are written as their schema says`() async throws {
    try follower.folder.write(
      "library/.podget/subscriptions.opml",
      """
      <opml version="2.0" xmlns:podget="urn:podget:opml"><body>
        <outline text="A" xmlUrl="\(origin)/a" podget:latest="2" podget:keep="3"
          podget:played="true" podget:refetch-missing="true" podget:max-new="none"
          podget:older-than="90d"/>
      </body></opml>
      """)
    let listed = try await follower.run("subscriptions", "--json")
    #expect(
      listed.output.contains(
        #""settings":{"latest":2,"max-new":null,"refetch-missing":true,"keep":3,"#
          + #""older-than":"90d","played":true}"#), "\(listed.output)")
  }

  @Test func `a name may be given, and must be free`() async throws {
    _ = try await follower.follow("/a", "--name", "tsw")
    let taken = try await follower.run("subscribe", "\(origin)/b", "--name", "TSW")
    #expect(taken.status == .exited(1) && taken.error.contains("called TSW"))
    let renamed = try await follower.run("subscribe", "tsw", "--name", "world", "--json")
    #expect(try renamed.values("name") == ["world"])
    for wrong in ["12345", "id9", "a b", "", "x.xml"] {
      #expect(try await follower.run("subscribe", "world", "--name", wrong).status == .exited(64))
    }
  }

  @Test func `what a person wrote into the file stays`() async throws {
    try follower.folder.write(
      "library/.podget/subscriptions.opml",
      """
      <opml version="2.0" xmlns:x="urn:x"><head><title>Mine</title></head><body>
        <!-- my list -->
        <outline text="News"><outline text="Other" xmlUrl="\(origin)/b" x:rating="5"/></outline>
        <outline text="A note without address"/>
      </body></opml>
      """)
    let listed = try await follower.run("subs", "--json")
    #expect(try listed.values("name") == ["other"])
    #expect(try listed.objects.first?["categories"] as? [String] == ["News"])
    _ = try await follower.follow("/a")
    _ = try await follower.run("subscribe", "other", "--latest", "3")
    let file = try follower.file
    for kept in ["<!-- my list -->", "x:rating=\"5\"", "A note without address", "<title>Mine<"] {
      #expect(file.contains(kept), "\(kept)")
    }
    #expect(file.contains("podget:latest=\"3\""))
    let mode = try #require(
      FileManager.default.attributesOfItem(
        atPath: follower.folder.path("library/.podget/subscriptions.opml"))[.posixPermissions]
        as? Int)
    #expect(mode & 0o077 == 0o044 || mode & 0o077 == 0)
  }

  @Test(arguments: [
    ("<opml version=\"2.0\"><body>\n<outline text=\"a\"</body></opml>", ":2:"),
    ("<opml version=\"2.0\"><body>\n\n <outline xmlUrl=\"ftp://x/y\"/></body></opml>", ":3:2:"),
    ("<html></html>", ":1:"),
    (
      "<opml version=\"2.0\" xmlns:podget=\"urn:podget:opml\"><body>\n"
        + "<outline xmlUrl=\"http://h/f\" podget:latest=\"many\"/></body></opml>", ":2:30:"
    ),
  ])
  func `a damaged file is refused with its place and never replaced`(
    text: String, place: String
  ) async throws {
    try follower.folder.write("library/.podget/subscriptions.opml", text)
    for command in [
      ["subscribe", "\(origin)/a"], ["subs"], ["sync"], ["unsubscribe", "x"], ["export"],
      ["sync", "--json"],
    ] {
      let result = try await follower.start(command).waitForExit()
      #expect(result.status == .exited(command[0] == "sync" ? 2 : 1), "\(command)")
      #expect(result.error.contains("subscriptions.opml\(place)"), "\(result.error)")
    }
    #expect(try follower.file == text)
  }

  @Test func `an unknown attribute is one warning of each command`() async throws {
    _ = try await follower.follow("/a", "--name", "a")
    let path = follower.folder.path("library/.podget/subscriptions.opml")
    try follower.folder.write(
      "library/.podget/subscriptions.opml",
      follower.file.replacing("podget:name=", with: "\n  podget:lates=\"10\" podget:name="))
    for command in [
      ["subscriptions"], ["sync"], ["sync", "--json"], ["list", "a"],
      ["subscribe", "a", "--latest", "3"],
      ["export"], ["subs", "--json"],
    ] {
      let result = try await follower.start(command).waitForExit()
      #expect(result.status == .exited(0), "\(command): \(result.error)")
      let warnings = result.error.split(separator: "\n").filter { $0.contains("Warning: ") }
      #expect(warnings.count == 1, "\(command): \(result.error)")
      #expect(warnings.first?.hasSuffix("did you mean podget:latest?") == true, "\(result.error)")
      #expect(warnings.first?.contains("Warning: \(path):") == true, "\(result.error)")
    }
    #expect(try follower.file.contains("podget:lates=\"10\""))
    #expect(try await follower.run("sync", "--quiet").error.isEmpty)
  }

  @Test func `passwords are stored, and shown nowhere`() async throws {
    let address = "http://ada:secret@\(origin.dropFirst("http://".count))/a"
    let result = try await follower.run("subscribe", address, "--json")
    #expect(try statuses(result) == ["subscribed"])
    #expect(try follower.file.contains("ada:secret@"))
    let shown = try await follower.run("subs", "--json")
    let exported = try await follower.run("export")
    let synced = try await follower.run("sync", "--json", "-v")
    for text in [
      result.output, result.error, shown.output, exported.output, synced.output, synced.error,
    ] {
      #expect(!text.contains("secret") && !text.contains("ada"))
    }
    let complete = try await follower.run("export", "--with-credentials")
    #expect(complete.output.contains("ada:secret@"))
    #expect(
      follower.host.feedRequests.last?.request.first("Authorization")
        == "Basic \(Data("ada:secret".utf8).base64EncodedString())")
  }

  @Test func `an export is imported as it was`() async throws {
    _ = try await follower.follow("/a", "--latest", "7")
    try follower.folder.write(
      "other.opml",
      """
      <opml version="1.1"><body><outline text="Tech &amp; More"><outline text="B" type="rss"
      xmlUrl="\(origin)/b"/></outline><outline text="again" xmlUrl="\(origin)/a"/>
      <outline text="no address"/></body></opml>
      """)
    let imported = try await follower.run(
      "import", follower.folder.path("other.opml"), "--json")
    #expect(imported.status == .exited(0))
    #expect(try statuses(imported) == ["subscribed", "unchanged", "ignored"])
    let exported = try await follower.run("export", follower.folder.path("out.opml"))
    #expect(exported.status == .exited(0) && exported.output.isEmpty)
    let before = try await follower.run("subs", "--json").output
    try FileManager.default.removeItem(atPath: follower.folder.path("library/.podget"))
    let again = try await follower.run("import", follower.folder.path("out.opml"), "--json")
    #expect(try Set(statuses(again)) == ["subscribed"])
    #expect(try await follower.run("subs", "--json").output == before)
    #expect(follower.host.feedRequests.count == 1)
  }

  @Test func `an import that names no feed fails`() async throws {
    let text = "<opml version=\"2.0\"><body><outline text=\"x\"/></body></opml>"
    let result = try await follower.run("import", "-", "--json", input: text)
    #expect(result.status == .exited(1) && result.output.isEmpty)
    #expect(result.error.contains("names no feed"))
    let missing = try await follower.run("import", follower.folder.path("missing.opml"))
    #expect(missing.status == .exited(1) && missing.error.contains("There is no file"))
  }

  @Test func `a password command in an imported file is never run`() async throws {
    let text = """
      <opml version="2.0" xmlns:podget="urn:podget:opml"><body><outline text="x"
      xmlUrl="\(origin)/a" podget:user="u" podget:password-command="touch \(follower.folder.path)/ran"
      /></body></opml>
      """
    _ = try await follower.run("import", "-", input: text)
    _ = try await follower.run("sync")
    #expect(!follower.folder.contains("ran"))
    #expect(try !follower.file.contains("password-command"))
  }

  @Test func `names of subscriptions are sources`() async throws {
    _ = try await follower.follow("/a", "--name", "tsw", "--latest", "1")
    let downloaded = try await follower.run("download", "tsw", "--latest", "1")
    #expect(downloaded.status == .exited(0), "\(downloaded.error)")
    #expect(try await follower.run("list", "tsw", "--json").objects.count == 1)
    #expect(try await follower.run("show", "TSW", "--json").objects.count == 3)
    let unknown = try await follower.run("download", "twsx")
    #expect(unknown.status == .exited(1) && unknown.error.contains("no subscription"))
  }
}

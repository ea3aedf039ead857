import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Feeds as sources, from the command line to the files.
@Suite(.serialized) struct FeedTests {
  private let items = [5, 4, 3, 2, 1].map { FeedServer.Item($0) }

  private func name(_ number: Int) -> String { "2024-01-0\(number) - Number \(number).mp3" }

  @Test(arguments: ["%/feed.xml", "feed:%/feed.xml", "pcast://%/feed.xml", "%/page.html"])
  func `the latest episodes of a feed are downloaded once`(form: String) async throws {
    let feed = FeedServer.feed(items)
    let page = """
      <!doctype html><html><head><link rel="alternate" type="application/rss+xml" href="/feed.xml">
      </head></html>
      """
    let host = try FeedServer(items) { request, _ in
      switch request.path {
      case "/feed.xml": (200, "text/xml; charset=utf-8", feed)
      case "/page.html": (200, "text/html", page)
      default: nil
      }
    }
    let place = form.hasPrefix("pcast") ? String(host.origin.dropFirst(7)) : host.origin
    let source = form.replacing("%", with: place)
    let first = try await host.run("download", source, "--latest", "2", "--json")
    #expect(first.status == .exited(0), "\(first.error)")
    let planned = try EventLine(try #require(first.lines.first))
    #expect(planned.description.contains("\"feedUrl\":\"\(host.origin)/feed.xml\""))
    #expect(host.names == [name(4), name(5)])
    let again = try await host.run("download", source, "--latest", "3", "--json")
    #expect(try again.values("event", ofLines: "finished") == 1)
    #expect(host.names == [name(3), name(4), name(5)])
    let listed = try await host.run("list", "\(host.origin)/feed.xml", "--json")
    #expect(try listed.objects.count == 3)
    let shown = try await host.run("show", source, "--json", "--all")
    #expect(try shown.values("status") == ["complete", "complete", "complete", "remote", "remote"])
  }

  @Test func `a feed file is a source`() async throws {
    let host = try FeedServer(feedOf: items)
    let feed = FeedServer.feed(items).replacing("url=\"/", with: "url=\"\(host.origin)/")
    try host.folder.write("show.xml", Array(feed.utf8))
    let result = try await host.run("download", "./show.xml", "--latest", "1")
    #expect(result.status == .exited(0) && host.names == [name(5)])
    let missing = try await host.run("download", "./other.xml")
    #expect(missing.status == .exited(1))
    #expect(missing.error.contains("./other.xml: There is no such file."))
  }

  @Test func `a page with several feeds names them, and one without is an error`() async throws {
    let host = try FeedServer { request, _ in
      let links = ["/a.xml", "/b.xml"].map {
        "<link rel=\"alternate\" type=\"application/rss+xml\" title=\"Feed\" href=\"\($0)\">"
      }
      return (200, "text/html", request.path == "/two" ? "<html>\(links.joined())" : "<html><p>")
    }
    let two = try await host.run("download", "\(host.origin)/two", "--json")
    #expect(two.status == .exited(1))
    let failure = try EventLine(try #require(two.lines.first))
    #expect(failure.code == "decoding")
    #expect(failure.message?.contains("\(host.origin)/a.xml (Feed), \(host.origin)/b.xml") == true)
    let none = try await host.run("show", "\(host.origin)/none")
    #expect(none.status == .exited(1) && none.error.contains("links to no feed"))
    #expect(host.paths == ["/two", "/none"])
  }

  @Test func `what came before a feed breaks is downloaded, and the source has failed`()
    async throws
  {
    let host = try FeedServer(feedOf: items, suffix: "<item><title>Cut")
    let result = try await host.run(
      "download", "\(host.origin)/feed.xml", "--latest", "2", "--json")
    #expect(result.status == .exited(1) && host.names == [name(4), name(5)])
    let failure = try #require(try result.lines.map(EventLine.init).first { $0.name == "failed" })
    #expect(failure.code == "decoding" && failure["source"] == "\(host.origin)/feed.xml")
  }

  @Test func `pages of a feed are read as far as they are needed, and loops end`() async throws {
    let items = items
    let host = try FeedServer(items) { request, origin in
      guard request.path == "/feed.xml" else { return nil }
      let page = Int(request.query["page"] ?? "1") ?? 1
      let next = "<atom:link rel=\"next\" href=\"/feed.xml?page=\(page % 3 + 1)\"/>"
      let shown = Array(items[min(page - 1, 4)..<min(page + 1, 5)])
      return (200, "text/xml", FeedServer.feed(shown, head: next))
    }
    let source = "\(host.origin)/feed.xml"
    let some = try await host.run("show", source, "--latest", "2", "--json")
    #expect(try some.objects.count == 2)
    #expect(host.paths.count == 1)
    let all = try await host.run("show", source, "--all", "--json")
    #expect(all.status == .exited(0))
    #expect(try all.objects.count == 4)
    // The first page has two addresses; what repeats is not listed twice.
    #expect(host.paths.count == 5)
  }

  @Test func `a feed that says that it has moved is named once, and its own address is not`()
    async throws
  {
    let items = items
    let host = try FeedServer(items) { request, origin in
      let target = request.path == "/own.xml" ? "\(origin)/own.xml/" : "https://new.example/f?key=1"
      let head =
        "<itunes:new-feed-url xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\">"
        + "\(target)</itunes:new-feed-url>"
      return request.path.hasSuffix(".xml")
        ? (200, "text/xml", FeedServer.feed(items, head: head)) : nil
    }
    let line = "The Feed says that its feed has moved to https://new.example/f?"
    for arguments in [["show"], ["download", "--latest", "1"], ["download", "--dry-run"]] {
      let moved = try await host.run(arguments + ["\(host.origin)/moved.xml"])
      #expect(moved.status == .exited(0))
      #expect(moved.error.components(separatedBy: line).count == 2, "\(moved.error)")
      let own = try await host.run(arguments + ["\(host.origin)/own.xml"])
      #expect(own.status == .exited(0) && !own.error.contains("moved"))
    }
  }

  @Test func `a file that is no feed is called what it is, once`() async throws {
    let opml = "<opml version=\"2.0\"><body><outline xmlUrl=\"https://e.com/f\"/></body></opml>"
    let host = try FeedServer { request, _ in
      request.path == "/list.opml" ? (200, "text/x-opml", opml) : (200, "text/plain", "text")
    }
    try host.folder.write("notes", Array("text".utf8))
    try host.folder.write("list.opml", Array(opml.utf8))
    let noFeed = "This is neither a feed nor a web page."
    let list =
      "This is a list of subscriptions and no feed; podget import follows its podcasts."
    for (source, sentence) in [
      ("notes", noFeed), ("./notes", noFeed), ("\(host.origin)/notes", noFeed),
      ("list.opml", list), ("\(host.origin)/list.opml", list),
    ] {
      let result = try await host.run("show", source)
      #expect(result.status == .exited(1))
      #expect(result.error == "podget: \(source): \(sentence)\n")
    }
  }

  @Test func `details have chapters and what the feed says about the podcast`() async throws {
    let items = items
    let host = try FeedServer(items) { request, _ in
      guard request.path == "/feed.xml" else { return nil }
      let head = """
        <podcast:medium xmlns:podcast="https://podcastindex.org/namespace/1.0">music</podcast:medium>
        <podcast:locked xmlns:podcast="https://podcastindex.org/namespace/1.0">yes</podcast:locked>
        <podcast:funding xmlns:podcast="https://podcastindex.org/namespace/1.0"
         url="https://give.example/">Give</podcast:funding>
        """
      let chapters = """
        <psc:chapters xmlns:psc="http://podlove.org/simple-chapters"><psc:chapter start="61" title="Two"/>
        <psc:chapter start="0:00" title="One" href="https://e.example/"/></psc:chapters></item>
        """
      let feed = FeedServer.feed(Array(items.prefix(1)), head: head)
      return (200, "text/xml", feed.replacing("</item>", with: chapters))
    }
    let text = try await host.run("show", "\(host.origin)/feed.xml", "--details")
    #expect(
      text.output.hasSuffix(
        """

        Medium: music
        Locked: the publisher allows no import elsewhere
        Funding: https://give.example/ (Give)

        Number 5
          Chapter: 0:00 One
          Chapter: 1:01 Two

        """), "\(text.output)")
    let json = try await host.run("show", "\(host.origin)/feed.xml", "--details", "--json")
    for member in [
      "\"medium\":\"music\",\"locked\":true",
      "\"funding\":[{\"url\":\"https://give.example/\",\"title\":\"Give\"}]",
      "\"chapters\":[{\"start\":0,\"title\":\"One\",\"url\":\"https://e.example/\"}",
    ] {
      #expect(json.output.replacing(" ", with: "").contains(member), "\(json.output)")
    }
  }

  @Test func `an address without a scheme that looks like a file shows no password`() async throws {
    let host = try FeedServer(feedOf: items)
    let result = try await host.run("show", "me:secret@127.0.0.1/feed.xml")
    #expect(result.status == .exited(1))
    #expect(result.error == "podget: 127.0.0.1/feed.xml: There is no such file.\n")
  }

  @Test func `a page that cannot be read is named, and the pages before it count`() async throws {
    let items = items
    let host = try FeedServer(items) { request, origin in
      guard request.path == "/feed.xml" else { return nil }
      if request.query["page"] == "2" { return (404, "text/plain", "") }
      let next = "<atom:link rel=\"next\" href=\"/feed.xml?page=2\"/>"
      return (200, "text/xml", FeedServer.feed(Array(items.prefix(2)), head: next))
    }
    let all = try await host.run("show", "\(host.origin)/feed.xml", "--all", "--json")
    #expect(all.status == .exited(1))
    #expect(try all.objects.count == 2)
    #expect(all.error.contains("Page 2 of the feed could not be read: "), "\(all.error)")
  }

  @Test(arguments: [true, false])
  func `an id is completed from its feed, without gaps and repetitions`(hasGUIDs: Bool)
    async throws
  {
    let items = (1...9).reversed().map { number in
      var item = FeedServer.Item(number)
      if !hasGUIDs { item.guid = nil }
      return item
    }
    let feed = FeedServer.feed(items)
    let host = try FeedServer(items) { request, origin in
      switch request.path {
      case "/feed.xml": return (200, "text/xml", feed)
      case "/lookup":
        let records = items.prefix(4).map { item in
          let guid = item.guid.map { "\"episodeGuid\":\"\($0)\"," } ?? ""
          return """
            {"kind":"podcast-episode","wrapperType":"podcastEpisode","trackId":\(1000 + item.number),
            "collectionId":7,"collectionName":"The Feed",\(guid)"trackName":"\(item.title)",
            "releaseDate":"2024-01-0\(item.number)T06:00:00Z","episodeUrl":"\(origin)\(item.path)"}
            """
        }
        let podcast = """
          {"kind":"podcast","wrapperType":"track","collectionId":7,"trackId":7,
          "collectionName":"The Feed","trackCount":9,"feedUrl":"\(origin)/feed.xml"}
          """
        let all = ([podcast] + records).joined(separator: ",")
        return (200, "text/javascript", "{\"resultCount\":5,\"results\":[\(all)]}")
      default: return nil
      }
    }
    let few = try await host.run("download", "7", "--latest", "3", "--json")
    #expect(few.status == .exited(0) && host.names.count == 3)
    #expect(!host.paths.contains("/feed.xml"))
    let all = try await host.run("download", "7", "--all", "--json")
    #expect(all.status == .exited(0), "\(all.error)")
    #expect(host.names == (1...9).map(name))
    #expect(try all.values("event", ofLines: "skipped") == 3)
    #expect(try all.values("event", ofLines: "finished") == 6)
  }

  @Test func `the preferred file of an episode of the directory is the feed's`() async throws {
    let item = FeedServer.Item(1)
    let small = FeedServer.Item(2)
    let alternate = """
      <podcast:alternateEnclosure xmlns:podcast="https://podcastindex.org/namespace/1.0"
       type="audio/mpeg" length="5"><podcast:source uri="\(small.path)"/></podcast:alternateEnclosure></item>
      """
    let feed = FeedServer.feed([item]).replacing("</item>", with: alternate)
    let host = try FeedServer([item, small]) { request, origin in
      guard request.path == "/lookup" else {
        return request.path == "/feed.xml" ? (200, "text/xml", feed) : nil
      }
      let results = """
        {"kind":"podcast","wrapperType":"track","collectionId":7,"trackId":7,
        "collectionName":"The Feed","trackCount":1,"feedUrl":"\(origin)/feed.xml"},
        {"kind":"podcast-episode","wrapperType":"podcastEpisode","trackId":1001,"collectionId":7,
        "collectionName":"The Feed","episodeGuid":"guid-1","trackName":"\(item.title)",
        "releaseDate":"2024-01-01T06:00:00Z","episodeUrl":"\(origin)\(item.path)"}
        """
      return (200, "text/javascript", "{\"resultCount\":2,\"results\":[\(results)]}")
    }
    let result = try await host.run("download", "7", "--prefer", "smallest")
    #expect(result.status == .exited(0), "\(result.error)")
    #expect(host.paths == ["/lookup", "/feed.xml", small.path] && host.names == [name(1)])
  }

  @Test func `descriptions and links are shown with --details`() async throws {
    let item = """
      <item><title>One</title><link>/one</link><description>&lt;p&gt;Words &amp;amp; more</description>
      <enclosure url="/1.mp3" type="audio/mpeg"/></item>
      """
    let host = try FeedServer { _, _ in
      (200, "text/xml", "<rss><channel><title>T</title>\(item)</channel></rss>")
    }
    let source = "\(host.origin)/feed.xml"
    let json = try await host.run("show", source, "--details", "--json")
    let details = try #require(try json.objects.first?["details"] as? [String: Any])
    #expect(details["text"] as? String == "Words & more")
    let text = try await host.run("show", source, "--details")
    #expect(text.output.hasSuffix("\nOne\n  Link: \(host.origin)/one\n  Words & more\n"))
    let plain = try await host.run("show", source, "--json")
    #expect(try plain.objects.first?["details"] == nil)
  }

  @Test func `show notes keep their links and items with --details`() async throws {
    let notes = """
      &lt;p&gt;See &lt;a href="https://a.example/x"&gt;this&lt;/a&gt;:&lt;/p&gt;&lt;ul&gt;&lt;li&gt;one&lt;li&gt;two&lt;/ul&gt;
      """
    let item =
      "<item><title>One</title><description>\(notes)</description><enclosure url=\"/1.mp3\"/></item>"
    let host = try FeedServer { _, _ in
      (200, "text/xml", "<rss><channel><title>T</title>\(item)</channel></rss>")
    }
    let text = try await host.run("show", "\(host.origin)/feed.xml", "--details")
    #expect(
      text.output.hasSuffix(
        "\nOne\n  See this [1]:\n  - one\n  - two\n  [1] https://a.example/x\n"))
  }

  @Test func `a password reaches its origin alone and is written nowhere`() async throws {
    let items = items
    let other = try LoopbackServer(files: [
      "/moved.mp3": FileServing(Representation(items[1].bytes))
    ])
    let target = "\(other.origin)/moved.mp3"
    let feed = FeedServer.feed(items)
    let host = try FeedServer(items) { request, _ in
      guard request.first("Authorization") == "Basic YWRhOnNlY3JldA==" else {
        return (401, "text/plain", "")
      }
      switch request.path {
      case "/feed.xml": return (200, "text/xml", feed)
      case items[1].path: return (302, "", target)
      default: return nil
      }
    }
    let source = "\(host.origin)/feed.xml".replacing("//", with: "//ada:secret@")
    let result = try await host.run("download", source, "--latest", "2", "--json")
    #expect(result.status == .exited(0), "\(result.output)")
    #expect(host.names == [name(4), name(5)])
    #expect(other.log.map { $0.request.first("Authorization") } == [nil])
    #expect(!result.output.contains("secret") && !result.error.contains("secret"))
    for file in host.folder.files {
      let text = String(decoding: try host.folder.read(file), as: UTF8.self)
      #expect(!text.contains("secret") && !file.contains("secret"), "\(file)")
    }
  }

  @Test func `a password command logs in to a private feed`() async throws {
    let feed = FeedServer.feed(items)
    let host = try FeedServer(items) { request, _ in
      guard request.first("Authorization") == "Basic YWRhOnMgZTpjQHJldA==" else {
        return (401, "text/plain", "")
      }
      return request.path == "/feed.xml" ? (200, "text/xml", feed) : nil
    }
    let source = "\(host.origin)/feed.xml"
    let login = ["--user", "ada", "--password-command"]
    try host.folder.write("pass", Array("s e:c@ret\nmore\n".utf8))
    let good = ["/bin/cat '\(host.folder.path("pass"))'"]
    let shown = try await host.run(["show", source, "--json"] + login + good)
    #expect(try shown.objects.count == 5)
    let result = try await host.run(["download", source, "--latest", "1"] + login + good)
    #expect(result.status == .exited(0) && host.names == [name(5)], "\(result.error)")
    for command in ["/bin/false", "/bin/true", "/nonexistent/command"] {
      let failure = try await host.run(["download", source, "--json"] + login + [command])
      #expect(failure.status == .exited(1))
      #expect(failure.output.contains("The password command \(command) "))
    }
    let alone = try await host.run(["download", source, "--user", "ada"])
    #expect(alone.status == .exited(64))
    let refused = try await host.run(["download", source, "--json"])
    #expect(try refused.lines.map(EventLine.init).first?.httpStatus == 401)
  }
}

extension RunningProcess.Result {
  /// How many lines have a member with this text.
  fileprivate func values(_ member: String, ofLines value: String) throws -> Int {
    try lines.map(EventLine.init).count { $0[member] == value }
  }
}

import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite("podget doctor of a feed") struct DoctorFeedTests {
  private func podget(
    _ arguments: [String], environment: [String: String] = [:]
  ) async throws -> RunningProcess.Result {
    let base = ["no_proxy": "127.0.0.1", "PODGET_RETRIES": "0", "LANG": "C.UTF-8"]
    let result = try await RunningProcess(
      .podget, ["doctor"] + arguments, environment: base.merging(environment) { $1 }
    ).waitForExit()
    SchemaCheck.check(["doctor"] + arguments, result)
    return result
  }

  private func object(_ result: RunningProcess.Result) throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
    return try #require(value as? [String: Any])
  }

  @Test("the feed, how it is checked, and the newest episode's server") func text() async throws {
    let host = try FeedHost([
      "/feed.xml": FeedHost.Feed((1...3).map { FeedHost.Item($0) }),
      "/old.xml": .redirect(301, to: "/feed.xml"),
    ])
    let result = try await podget(["\(host.origin)/old.xml"])
    #expect(result.status == .exited(0), "\(result.error)")
    let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.first == "Source          \(host.origin)/old.xml")
    #expect(lines.contains("Redirect        301 to \(host.origin)/feed.xml"))
    #expect(lines.contains("Asked again     304, not modified"))
    #expect(lines.contains("Format          RSS"))
    #expect(lines.contains("Episodes        3, from 2024-01-01 to 2024-01-03"))
    #expect(lines.contains("podget can read this feed."))
    #expect(lines.contains { $0.contains("moves a subscription to \(host.origin)/feed.xml after") })
    #expect(lines.contains("Newest episode  Number 3"))
    #expect(lines.contains("Address         \(host.origin)/media/3.mp3"))
    #expect(lines.contains("podget can download this."))
  }

  @Test("a feed file, a page that links to a feed, and an id lead to the feed")
  func sources() async throws {
    let host = try FeedHost()
    host["/feed.xml"] = FeedHost.Feed([FeedHost.Item(1)])
    var page = FeedHost.Feed()
    page.body = """
      <html><head><link rel="alternate" type="application/rss+xml" href="/feed.xml"></head></html>
      """
    host["/page.html"] = page
    var lookup = FeedHost.Feed()
    lookup.body = """
      {"resultCount":1,"results":[{"wrapperType":"track","kind":"podcast","collectionId":7,"trackId":7,
      "collectionName":"The Feed","feedUrl":"\(host.origin)/feed.xml","trackCount":1}]}
      """
    host["/lookup"] = lookup
    let folder = try TemporaryFolder()
    let file = "\(folder.path)/feed.xml"
    try FeedHost.Feed([FeedHost.Item(1)]).xml
      .replacing("/media/", with: "\(host.origin)/media/")
      .write(toFile: file, atomically: true, encoding: .utf8)
    for source in ["\(host.origin)/page.html", "7", file] {
      let result = try await podget(
        [source, "--json"], environment: ["PODGET_ITUNES_URL": host.origin])
      #expect(result.status == .exited(0), "\(source): \(result.error)")
      let report = try object(result)
      let feed = try #require(report["feed"] as? [String: Any], "\(source)")
      #expect(feed["episodes"] as? Int == 1, "\(source)")
      let server = try #require(report["server"] as? [String: Any], "\(source)")
      #expect(server["canDownload"] as? Bool == true, "\(source)")
    }
  }

  @Test("a feed that breaks off, one without episodes and one whose episode is missing end with 1")
  func failures() async throws {
    let host = try FeedHost()
    let feed = FeedHost.Feed([FeedHost.Item(2), FeedHost.Item(1)])
    var cut = feed
    cut.body = String(feed.xml.prefix(feed.xml.count - 40))
    host["/cut.xml"] = cut
    host["/empty.xml"] = FeedHost.Feed()
    host["/missing.xml"] = FeedHost.Feed([FeedHost.Item(9)])
    host.missingMedia = [9]
    let expected = [
      "/cut.xml": ("decoding", ["cannotRead", "usesWhatCame"]),
      "/empty.xml": ("notFound", ["cannotRead", "asksConditionally"]),
      "/missing.xml": ("httpStatus", ["asksConditionally"]),
    ]
    for (path, (code, advice)) in expected {
      let result = try await podget([host.origin + path, "--json"])
      #expect(result.status == .exited(1), "\(path)")
      let report = try object(result)
      #expect(report["canDownload"] as? Bool == false, "\(path)")
      #expect((report["error"] as? [String: Any])?["code"] as? String == code, "\(path)")
      let codes = (report["advice"] as? [[String: String]])?.map { $0["code"] }
      #expect(codes == advice, "\(path)")
    }
  }

  @Test("a feed that is compressed whatever is asked for is read") func compressed() async throws {
    let feed = FeedHost.Feed([FeedHost.Item(1)]).xml
    let packed = Representation(storedGzip(Array(feed.utf8)), contentType: "application/rss+xml")
    let behaviour = Behaviour { $0.fields = [Request.Field("Content-Encoding", "gzip")] }
    let server = try LoopbackServer(
      files: ["/feed.xml": FileServing(packed, behaviour: behaviour)])
    let report = try object(try await podget(["\(server.origin)/feed.xml", "--json"]))
    #expect((report["feed"] as? [String: Any])?["episodes"] as? Int == 1)
  }

  @Test("why a feed cannot be read is said, and no episode is spoken of") func unread() async throws
  {
    let host = try FeedHost()
    var page = FeedHost.Feed()
    page.body = """
      <html><head><link rel="alternate" type="application/rss+xml" href="/a.xml">
      <link rel="alternate" type="application/rss+xml" href="/b.xml"></head></html>
      """
    host["/page.html"] = page
    let several = try await podget(["\(host.origin)/page.html"])
    #expect(several.status == .exited(1) && several.output.isEmpty)
    #expect(several.error.contains("links to 2 feeds"), "\(several.error)")
    let feed = Representation(
      Array(FeedHost.Feed([FeedHost.Item(1)]).xml.utf8), contentType: "application/rss+xml")
    let server = try LoopbackServer(files: [
      "/feed.xml": FileServing(feed, behaviour: .cut(.close, .afterBody(200)))
    ])
    let cut = try await podget(["\(server.origin)/feed.xml"])
    #expect(cut.status == .exited(1) && !cut.output.contains("XML document"), "\(cut.output)")
    #expect(cut.error.contains("failed"), "\(cut.error)")
  }

  @Test("a private feed gets its password, and the report has none") func login() async throws {
    let host = try FeedHost(["/feed.xml": FeedHost.Feed([FeedHost.Item(1)])])
    host.authorization = "Basic bWU6c2VjcmV0"
    let address = host.origin.replacing("http://", with: "http://me:secret@")
    let result = try await podget(["\(address)/feed.xml?token=hidden"])
    #expect(result.status == .exited(0), "\(result.output)")
    #expect(!result.output.contains("secret"))
    #expect(!result.output.contains("hidden"))
    let refused = try await podget(["\(host.origin)/feed.xml", "--json"])
    #expect(refused.status == .exited(1))
    #expect(try object(refused)["status"] as? Int == 401)
  }
}

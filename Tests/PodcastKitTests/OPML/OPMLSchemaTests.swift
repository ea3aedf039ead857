import Foundation
import TestSupport
import Testing

@testable import PodcastFeeds

/// What podget writes, checked by xmllint against `docs/opml.rng`.
@Suite("The schema of lists") struct OPMLSchemaTests {
  @Test("accepts what podget writes")
  func valid() async throws {
    let folder = try TemporaryFolder()
    let documents = try [
      OPMLDocument(title: "", dateCreated: nil), Self.document(),
      // A list of an older version, without a head, gets what OPML 2.0 asks for.
      OPMLCase.document(
        "<opml><body><outline title='a'><outline type='rss' xmlUrl='https://e.com/'/></outline>"
          + "</body></opml>"),
      OPMLCase.document(
        OPMLCase.list(
          "<outline text='a' overcastId='1' x:y='z'><x:n>t<m/></x:n></outline><!-- c -->",
          head: "<x:state/><ownerName>n</ownerName>", root: "xmlns:x='urn:x' x:a='1'")),
    ]
    for (number, document) in documents.enumerated() {
      try folder.write("\(number).opml", document.bytes())
    }
    let result = try await Self.validate(folder)
    #expect(result.status == .exited(0), "\(result.error)")
  }

  @Test(
    "refuses what is no OPML 2.0",
    arguments: [
      "<opml version='1.0'><head/><body/></opml>", "<opml version='2.0'><body/></opml>",
      "<opml version='2.0'><head/></opml>",
      "<opml version='2.0'><head/><body><outline/></body></opml>",
      "<opml version='2.0'><head/><body><outline text='a' type='rss'/></body></opml>",
      "<opml version='2.0'><head><dateCreated>2024-01-01</dateCreated></head><body/></opml>",
      "<opml version='2.0'><head/><body><outline text='' isComment='yes'/></body></opml>",
      "<opml version='2.0'><head/><body/><outline text=''/></opml>",
    ])
  func invalid(list: String) async throws {
    let folder = try TemporaryFolder()
    try folder.write("0.opml", list)
    let result = try await Self.validate(folder)
    #expect(result.status == .exited(3), "\(result.error)")
  }

  private static func document() -> OPMLDocument {
    var document = OPMLDocument(title: "T", dateCreated: Date(timeIntervalSince1970: 1_700_000_000))
    document.head.dateModified = Date(timeIntervalSince1970: -1)
    var feed = OPMLOutline([
      "text": "A", "title": "A", "type": "rss", "xmlUrl": "HTTPS://e.com/a b?c&d", "category": "/x",
    ])
    feed.set("3", "latest", namespace: OPMLDocument.namespace)
    document.nodes = [
      .outline(OPMLOutline(["text": "x", "title": "x"], nodes: [.outline(feed), .comment("c")])),
      .outline(feed),
    ]
    return document
  }

  private static func validate(_ folder: TemporaryFolder) async throws -> RunningProcess.Result {
    let schema = Fixtures.root.appending(path: "docs/opml.rng").path
    let files = folder.files.map { folder.path($0) }
    let xmllint = ["xmllint", "--nonet", "--noout", "--relaxng", schema]
    return try await RunningProcess("/usr/bin/env", xmllint + files).waitForExit()
  }
}

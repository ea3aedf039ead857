import PodcastFeeds
import PodcastModel
import Testing

/// Feeds that web pages link to.
@Suite("Feed discovery") struct FeedDiscoveryTests {
  private func links(_ page: String, url: String = "https://example.com/show/") throws -> [FeedLink]
  {
    guard case .webPage(let links) = try FeedReader.read(page.utf8, url: FeedURL(url)) else {
      Issue.record("This is no web page.")
      return []
    }
    return links
  }

  @Test("finds links of all feed types, each once")
  func find() throws {
    let found = try links(
      """
      <!DOCTYPE html><html><head><title>&nbsp;</title>
      <link rel=stylesheet href=x.css><!-- <link rel="alternate" type="application/rss+xml" href="no">
      --><LINK REL="Alternate" TYPE="application/rss+xml; charset=utf-8" HREF="/feed?a=1&amp;b=2"
        title="Show &#38; more">
      <link rel="alternate" type="application/atom+xml" href="atom.xml"/>
      <link type='application/feed+json' rel='home alternate' href='//j.example/feed.json'>
      <link rel="alternate" type="application/rss+xml" href="https://example.com/feed?a=1&b=2">
      <link rel="alternate" type="text/html" href="/de">
      </head><body>text <a href="x
      """)
    #expect(
      found.map(\.url.text) == [
        "https://example.com/feed?a=1&b=2", "https://example.com/show/atom.xml",
        "https://j.example/feed.json",
      ])
    #expect(found.first?.title == "Show & more")
    #expect(
      found.map(\.type) == [
        "application/rss+xml", "application/atom+xml", "application/feed+json",
      ])
  }

  @Test("finds nothing in scripts and other texts") func scripts() throws {
    let link = "<link rel=alternate type=application/rss+xml href=no>"
    let found = try links(
      """
      <html><title>\(link)</title><SCRIPT type=x>if (1 <2) write('\(link)</scripts>')</Script >
      <style>\(link)</style><link rel=alternate type=application/rss+xml href=feed>
      <script>\(link)</scrip
      """)
    #expect(found.map(\.url.text) == ["https://example.com/show/feed"])
  }

  @Test("honors the base of the page")
  func base() throws {
    let found = try links(
      "<html><base href=\"https://b.example/x/\">"
        + "<link rel=alternate type=application/rss+xml href=feed></html>")
    #expect(found.map(\.url.text) == ["https://b.example/x/feed"])
  }

  @Test("a page of broken tags takes little time")
  func broken() throws {
    let page = "<html>" + String(repeating: "<a='", count: 250_000)
    #expect(try links(page).isEmpty)
    #expect(try links("<html>" + String(repeating: "<", count: 1_000_000)).isEmpty)
  }

  @Test("a page without links gives none")
  func none() throws {
    #expect(try links("<html><body>Not found</body></html>").isEmpty)
    #expect(try links("<!doctype HTML><HTML>").isEmpty)
  }
}

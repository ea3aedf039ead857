import Foundation
import PodcastFeeds
import PodcastModel
import TestSupport
import Testing

/// The files about podcasts by the rules of the programs that read them.
@Suite("Files about podcasts") struct SidecarTextTests {
  private let podcast = Podcast(
    id: 7, title: "Rock & \"Roll\"", author: "A <b>", feedURL: FeedURL("https://example.org/feed"),
    artworkURL: "https://example.org/a.jpg?token=0123456789abcdef")

  @Test func `metadata.json is an object of texts without secrets`() throws {
    let text = SidecarText.text(.metadata, of: podcast, [], as: "metadata.json")
    var object = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: String])
    #expect(object.removeValue(forKey: "writer")?.hasPrefix("podget ") == true)
    #expect(
      object == [
        "title": "Rock & \"Roll\"", "author": "A <b>",
        "feedURL": "https://example.org/feed", "itunesId": "7",
        "itunesPageURL": "https://podcasts.apple.com/podcast/id7",
      ])
  }

  @Test(arguments: [
    "https://user:secret@example.org/feed", "https://example.org/feed?auth=0123456789abcdef",
    "https://example.org/private/0123456789abcdef/feed",
    "https://example.org/feed/podcast/2fZq9c7Yb3kLmN0pQr4sTu",
  ])
  func `the address of a private feed is for nobody else`(address: String) {
    var podcast = podcast
    podcast.feedURL = FeedURL(address)
    let text = SidecarText.text(.metadata, of: podcast, [], as: "metadata.json")
    #expect(!text.contains("feedURL"))
  }

  @Test func `of a podcast with a login no address is written`() {
    var podcast = podcast
    podcast.artworkURL = "https://example.org/a.jpg"
    #expect(
      SidecarText.text(.metadata, of: podcast, [], as: "metadata.json")
        .contains("example.org/a.jpg"))
    let text = SidecarText.text(.metadata, of: podcast, [], as: "metadata.json", isPrivate: true)
    #expect(!text.contains("example.org") && text.contains("\"itunesId\""))
  }

  @Test func `album.nfo has the names of an album, escaped`() {
    let text = SidecarText.text(.album, of: podcast, [], as: "album.nfo")
    #expect(
      text.hasSuffix(
        """
        <album>
          <title>Rock &amp; &quot;Roll&quot;</title>
          <artist>A &lt;b&gt;</artist>
          <albumartist>A &lt;b&gt;</albumartist>
          <genre>Podcast</genre>
        </album>

        """))
  }

  @Test func `a playlist has a line for each episode, whatever its title and its name`() {
    let text = SidecarText.text(
      .playlist, of: podcast,
      [
        .init(path: "One.mp3", title: "One", duration: .milliseconds(90_500)),
        .init(path: "#2.mp3", title: "Line\nbreak", duration: nil),
      ], as: "Rock.m3u8")
    #expect(text.hasPrefix("#EXTM3U\n#PODGET "))
    #expect(
      text.split(separator: "\n", maxSplits: 2).last ?? "" == """
        #PLAYLIST:Rock & "Roll"
        #EXTINF:90,One
        One.mp3
        #EXTINF:-1,Line break
        ./#2.mp3

        """)
  }

  @Test(arguments: ["a\n/home/ann/x.mp3", "a\r\nx.mp3", "a\u{85}x.mp3", "a\u{2028}x.mp3"])
  func `a name on two lines is left out of a playlist`(name: String) {
    let text = SidecarText.text(
      .playlist, of: podcast,
      [
        .init(path: name, title: "One", duration: nil),
        .init(path: "Two.mp3", title: "Two", duration: nil),
      ], as: "Rock.m3u8")
    #expect(text.hasSuffix("\n#PLAYLIST:Rock & \"Roll\"\n#EXTINF:-1,Two\nTwo.mp3\n"))
  }

  @Test(arguments: PodcastSidecar.allCases)
  func `a change anywhere shows, and so does another name`(sidecar: PodcastSidecar) {
    let name = sidecar.name(in: "Café")
    let text = SidecarText.text(
      sidecar, of: podcast, [.init(path: "One.mp3", title: "One", duration: nil)], as: name)
    let bytes = Array(text.utf8)
    #expect(sidecar.isMarked(bytes, as: name))
    // As some file systems spell it.
    #expect(sidecar.isMarked(bytes, as: sidecar.name(in: "CAFE\u{301}")))
    #expect(!sidecar.isMarked(bytes, as: "my \(name)"))
    for place in bytes.indices {
      var changed = bytes
      changed[place] ^= 1
      #expect(!sidecar.isMarked(changed, as: name), "\(place)")
      #expect(!sidecar.isMarked(bytes[..<place], as: name), "\(place)")
    }
    #expect(!sidecar.isMarked(bytes + [0x0A], as: name))
  }
}

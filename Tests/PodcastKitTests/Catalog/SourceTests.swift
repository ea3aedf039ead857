import PodcastFeeds
import PodcastModel
import Testing

@Suite("Sources") struct SourceTests {
  @Test(
    "are read in their order",
    arguments: [
      ("1386867488", Source.apple(id: 1_386_867_488, country: nil, episode: nil)),
      ("id1386867488", .apple(id: 1_386_867_488, country: nil, episode: nil)),
      (" ID7 ", .apple(id: 7, country: nil, episode: nil)),
      ("-", .standardInput),
      ("./1386867488", .file(path: "./1386867488")),
      ("../feed", .file(path: "../feed")),
      ("/tmp/feed", .file(path: "/tmp/feed")),
      ("Feed.XML", .file(path: "Feed.XML")),
      ("The Symbolic World", .name("The Symbolic World")),
      ("idea", .name("idea")),
      ("https://feeds.example/a%20b.xml?x=1", .feed(url: "https://feeds.example/a%20b.xml?x=1")),
      ("HTTP://feeds.example/a", .feed(url: "HTTP://feeds.example/a")),
      ("feed://feeds.example/a", .feed(url: "http://feeds.example/a")),
      ("feed:https://feeds.example/a", .feed(url: "https://feeds.example/a")),
      ("PCAST://https://feeds.example/a", .feed(url: "https://feeds.example/a")),
      ("itpc:feeds.example/a", .feed(url: "http://feeds.example/a")),
      ("podcast://feeds.example/a", .feed(url: "http://feeds.example/a")),
      ("https://pca.st/private/1", .feed(url: "https://pca.st/private/1")),
    ]) func sources(text: String, source: Source) throws
  {
    #expect(try Source.parse(text) == source)
  }

  @Test(
    "Apple's links are read in all their forms",
    arguments: [
      ("https://podcasts.apple.com/us/podcast/name/id12", "us", nil),
      ("https://podcasts.apple.com/DE/podcast/%C3%BCber-id5/id12?i=1000600017070", "de", true),
      ("https://podcasts.apple.com/gb/podcast/größe/id12?l=en-GB&i=1000600017070&uo=4", "gb", true),
      ("https://podcasts.apple.com/us/podcast/id12", "us", nil),
      ("https://podcasts.apple.com/podcast/name/id12#top", nil, nil),
      ("https://podcasts.apple.com/us/id12/", "us", nil),
      ("podcasts.apple.com/fr/podcast/name/id12", "fr", nil),
      ("https://embed.podcasts.apple.com/us/podcast/name/id12?itscg=30200", "us", nil),
      ("http://itunes.apple.com/us/podcast/name/id12?mt=2", "us", nil),
      ("https://geo.itunes.apple.com/ca/podcast/feed/id12?at=11lLuB", "ca", nil),
      ("itms://itunes.apple.com/us/podcast/name/id12", "us", nil),
      ("http://phobos.apple.com/WebObjects/MZStore.woa/wa/viewPodcast?id=12", nil, nil),
      ("https://itunes.apple.com/lookup?id=12&country=nz", "nz", nil),
      ("https://pca.st/itunes/12", nil, nil),
      ("https://overcast.fm/itunes12/slug", nil, nil),
      ("https://castro.fm/itunes/12", nil, nil),
    ] as [(String, String?, Bool?)]) func links(text: String, country: String?, episode: Bool?)
    throws
  {
    #expect(
      try Source.parse(text)
        == .apple(id: 12, country: country, episode: episode.map { _ in 1_000_600_017_070 }))
  }

  @Test(
    "a link that does not lead to a podcast says so",
    arguments: [
      "", "  ", "0", "99999999999999999999", "https://podcasts.apple.com/us/channel/name/id12",
      "https://itunes.apple.com/us/album/name/id12", "https://podcasts.apple.com/",
      "https://podcasts.apple.com/us/podcast/name", "ftp://host/feed.xml",
    ]) func failures(text: String)
  {
    let error = #expect(throws: PodgetError.self) { try Source.parse(text) }
    #expect(error?.code == .notFound)
  }
}

import PodcastModel
import Testing

@Suite("Announced extensions") struct FileExtensionTests {
  @Test(
    "the directory's extension, the address, the type, then mp3",
    arguments: [
      (Enclosure(url: "https://a/b.mp3", fileExtension: "M4A"), "m4a"),
      (Enclosure(url: "https://a/b.mp3", fileExtension: "../x"), "mp3"),
      (Enclosure(url: "https://a/b.M4A?x=y.mp3", mimeType: "audio/mpeg"), "m4a"),
      (Enclosure(url: "https://a/b.php?f=c.ogg", mimeType: "Audio/OGG; charset=utf-8"), "ogg"),
      (Enclosure(url: "https://a/b.php"), "mp3"), (Enclosure(url: "https://example.com"), "mp3"),
      (Enclosure(url: "https://a/b.c/d", mimeType: "audio"), "mp3"),
      (Enclosure(url: "https://a/b.xyz"), "xyz"), (Enclosure(url: "https://a/v1.2"), "mp3"),
      (Enclosure(url: "https://a/b.xyz", mimeType: "audio/x-m4a"), "m4a"),
      (Enclosure(url: "https://a/https%3A%2F%2Fb%2Fc.opus"), "opus"),
      (Enclosure(url: "https://a/b.verylongext"), "mp3"),
    ])
  func announced(enclosure: Enclosure, expected: String) {
    #expect(FileExtension.announced(for: enclosure) == expected)
  }
}

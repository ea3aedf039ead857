import PodcastLibrary
import Testing

@testable import podget

@Suite("Statuses in tables") struct StatusTextTests {
  private func texts(_ episode: LocalEpisode?) -> [String] {
    [
      StatusText(isShort: false, isUTF8: true), StatusText(isShort: true, isUTF8: true),
      StatusText(isShort: true, isUTF8: false),
    ].map { $0.text(episode) }
  }

  @Test("in words, short, and short in ASCII") func texts() {
    #expect(texts(nil) == ["remote", "", ""])
    #expect(texts(Sample.local("a")) == ["complete", "✓", "ok"])
    #expect(texts(Sample.local("a", status: .missing)) == ["missing", "missing", "missing"])
  }

  @Test(
    "how much of a partial file is there",
    arguments: [
      (42, 100, "partial 42%"), (0, 100, "partial 0%"), (100, 100, "partial 99%"),
      (7, nil, "partial"), (7, 0, "partial"), (Int64.max, 1, "partial 99%"),
    ] as [(Int64, Int64?, String)]) func percent(bytes: Int64, total: Int64?, text: String)
  {
    let episode = Sample.local("a", status: .partial, bytes: bytes, total: total)
    #expect(texts(episode)[0] == text)
  }
}

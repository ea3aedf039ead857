@testable package import PodcastKit

// Tests name episodes by short words; records accept only real keys.

extension EpisodeKey: ExpressibleByStringLiteral {
  /// A key as it is, or one derived from a word, always the same.
  package init(stringLiteral text: String) { self.init(named: text) }

  /// A key as it is, or one derived from a word, always the same; short words keep their order.
  package init(named text: String) {
    func digits(_ number: UInt64) -> String {
      let digits = String(number, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }
    let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
    let start = text.utf8.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    let shift = UInt64(8 * (8 - text.utf8.prefix(8).count))
    self = EpisodeKey(text) ?? EpisodeKey(checked: digits(start << shift) + digits(hash))
  }
}

extension EntryName: ExpressibleByStringLiteral {
  /// The name as it is.
  package init(stringLiteral text: String) { self.init(checked: text) }
}

extension DownloadPlan {
  /// A plan by the texts of its parts; a stem that is no file name, as titles may be, is "untitled".
  package init(
    key: String, podcast: Podcast, episode: Episode, folder: String, stem: String,
    announcedExtension: String
  ) {
    func file(_ stem: String) -> PlannedFile? {
      PlannedFile(folder: folder, stem: stem, fileExtension: announcedExtension)
    }
    guard let file = file(stem) ?? file("untitled") else {
      preconditionFailure("\(folder)/\(stem).\(announcedExtension)")
    }
    self.init(key: EpisodeKey(named: key), podcast: podcast, episode: episode, file: file)
  }
}

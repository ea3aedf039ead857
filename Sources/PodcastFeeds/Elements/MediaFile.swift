internal import PodcastModel

/// A media file that an item offers.
struct MediaFile {
  /// What offers it, the best first: an `enclosure` is the publisher's choice, and the others stand
  /// beside it.
  enum Origin: Int {
    case enclosure, mediaContent, alternate
  }

  var url: String
  var length: Int64?
  var mimeType: String?
  var origin: Origin
  /// Whether the publisher marks it as the default.
  var isDefault = false
  /// The playing time in seconds (`media:content`).
  var seconds: Int?

  /// The file as an enclosure.
  var enclosure: Enclosure { Enclosure(url: url, length: length, mimeType: mimeType) }

  /// The title of an episode that has none: the file's name, if it may tell episodes apart.
  var title: String { Self.title(ofFileAt: url) }

  /// The same for any address.
  static func title(ofFileAt url: String) -> String {
    // Behind a tracker the complete address may be one part of the path.
    let path = PercentEncoding.decoded(WebAddress(url)?.path ?? "")
    let stem = FileName.stem(of: String(path.split(separator: "/").last ?? ""))
    let isOdd = stem.unicodeScalars.contains { $0.properties.generalCategory == .control }
    guard stem.utf8.count >= 4, !isOdd, !ComparableAddress.isCommonName(stem) else {
      return "Untitled episode"
    }
    return FeedText.line(stem.utf8) ?? "Untitled episode"
  }
}

extension MediaFile {
  /// How good a file is among those of its item, by what is known before its address is resolved. A
  /// lower one is better; of equal ones the first in the feed is.
  ///
  /// What can be played comes before what cannot, wherever it stands: a cover is no episode. Then
  /// enclosures come before what stands beside them, audio before video before what does not say what
  /// it is, and the publisher's default before others.
  struct Rank: Comparable {
    private let places: (Int, Int, Int, Int)

    init(_ file: MediaFile, _ kind: MediaKind) {
      places = (kind.isOther ? 1 : 0, file.origin.rawValue, kind.rawValue, file.isDefault ? 0 : 1)
    }

    static func == (one: Rank, other: Rank) -> Bool { one.places == other.places }
    static func < (one: Rank, other: Rank) -> Bool { one.places < other.places }
  }
}

/// The best file of an item so far.
struct MediaChoice {
  private(set) var best: MediaFile?
  private var rank: MediaFile.Rank?

  /// Whether a file is better than the others, so that its address is needed. An image never is.
  func wants(_ file: MediaFile, _ kind: MediaKind) -> Bool {
    kind != .image && rank.map { MediaFile.Rank(file, kind) < $0 } ?? true
  }

  /// Takes a file that is wanted, with its absolute address.
  mutating func take(_ file: MediaFile, _ kind: MediaKind, url: String) {
    rank = MediaFile.Rank(file, kind)
    best = file
    best?.url = url
  }
}

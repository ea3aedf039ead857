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
  /// The bits per second.
  var bitrate: Int64?
  /// The number of its alternate enclosure in the item; 0 for another file.
  var alternate = 0
  /// The hashes that its bytes are to have (`podcast:integrity`).
  var integrity: String?

  /// The file as an enclosure.
  var enclosure: Enclosure {
    var enclosure = Enclosure(url: url, length: length, mimeType: mimeType)
    enclosure.integrity = integrity
    return enclosure
  }

  /// How many bytes it has, by its length or else by its bits per second.
  func bytes(playing duration: Duration?) -> Int64? {
    if let length { return length }
    guard let bitrate, let seconds = duration?.components.seconds ?? seconds.map(Int64.init)
    else { return nil }
    let (bits, overflow) = bitrate.multipliedReportingOverflow(by: seconds)
    return overflow ? nil : bits / 8
  }

  /// The title of an episode that has none: the file's name, if it may tell episodes apart, or else how
  /// its description begins.
  ///
  /// - Parameter opening: the beginning of the description.
  func title(or opening: String?) -> String { name ?? opening ?? "Untitled episode" }

  /// The file's name, if it may tell episodes apart.
  private var name: String? {
    // Behind a tracker the complete address may be one part of the path.
    let path = PercentEncoding.decoded(WebAddress(url)?.path ?? "")
    let stem = FileName.stem(of: String(path.split(separator: "/").last ?? ""))
    let isOdd = stem.unicodeScalars.contains { $0.properties.generalCategory == .control }
    guard stem.utf8.count >= 4, !isOdd, !ComparableAddress.isCommonName(stem) else {
      return nil
    }
    return FeedText.line(stem.utf8)
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

/// The files of an item: the best so far, and others if one of them may be preferred.
struct MediaChoice {
  /// How many files are kept of which one may be preferred.
  private static let mostOffers = 32

  /// What the user prefers; nil for what the publisher does.
  var preference: MediaPreference?
  private(set) var best: MediaFile?
  private var kind = MediaKind.unknown
  private var rank: MediaFile.Rank?
  private var offers: [(file: MediaFile, kind: MediaKind)] = []
  private var integrities: [Int: String] = [:]

  /// Whether a file may be chosen, so that its address is needed. An image never is.
  func wants(_ file: MediaFile, _ kind: MediaKind) -> Bool {
    guard kind != .image else { return false }
    if preference != nil, offers.count < Self.mostOffers { return true }
    return rank.map { MediaFile.Rank(file, kind) < $0 } ?? true
  }

  /// Takes a file that is wanted, with its absolute address.
  mutating func take(_ file: MediaFile, _ kind: MediaKind, url: String) {
    var file = file
    file.url = url
    if preference != nil, offers.count < Self.mostOffers { offers.append((file, kind)) }
    let rank = MediaFile.Rank(file, kind)
    guard self.rank.map({ rank < $0 }) ?? true else { return }
    (self.rank, self.kind, best) = (rank, kind, file)
  }

  /// Notes the hashes of an alternate enclosure, by its number.
  mutating func note(integrity: String, of alternate: Int) {
    if integrities.count < Self.mostOffers, integrities[alternate] == nil {
      integrities[alternate] = integrity
    }
  }

  /// The file of the episode; nil if there is none.
  func chosen(playing duration: Duration?) -> MediaFile? {
    guard var file = preferred(playing: duration) ?? best else { return nil }
    file.integrity = integrities[file.alternate]
    return file
  }

  /// The preferred one of several files; nil if there is none, or their sizes are not known.
  private func preferred(playing duration: Duration?) -> MediaFile? {
    guard let preference, let best else { return nil }
    if case .type = preference {
      let wanted = offers.filter {
        preference.accepts(mimeType: $0.file.mimeType, url: $0.file.url)
      }
      return wanted.min {
        MediaFile.Rank($0.file, $0.kind) < MediaFile.Rank($1.file, $1.kind)
      }?.file
    }
    // A video is no smaller or better audio.
    let sizes = offers.filter { $0.kind == kind }.compactMap { offer in
      offer.file.bytes(playing: duration).map { (file: offer.file, bytes: $0) }
    }
    guard preference == .best else { return sizes.min { $0.bytes < $1.bytes }?.file }
    // Without the size of the publisher's own file, another one may be worse.
    guard best.bytes(playing: duration) != nil else { return nil }
    return sizes.max { $0.bytes < $1.bytes }?.file
  }
}

import PodcastModel

/// One element of an answer's `results`, parsed so that no invalid field affects the others.
package struct ITunesRecord {
  /// What a record describes.
  package enum Kind {
    case podcast
    case episode
    case other
  }

  private(set) var wrapperType: String?
  private(set) var kindName: String?
  private(set) var collectionID: Int64?
  private(set) var trackID: Int64?
  private(set) var collectionName: String?
  private(set) var trackName: String?
  private(set) var artistName: String?
  private(set) var feedURL: FeedURL?
  private(set) var artworkURL: String?
  private(set) var trackCount: Int64?
  private(set) var releaseDate: String?
  private(set) var trackTimeMillis: Int64?
  private(set) var episodeURL: String?
  private(set) var episodeGUID: String?
  private(set) var episodeFileExtension: String?
  private(set) var episodeContentType: String?

  /// Reads an element; one that is not an object is an empty record.
  init(_ scanner: inout JSONScanner) throws(JSONScanner.Fault) {
    var fields = Fields()
    if scanner.isObject() {
      try scanner.object { (scanner, name) throws(JSONScanner.Fault) in
        try fields.read(name, &scanner)
      }
    } else {
      try scanner.skip()
    }
    self.init(fields)
  }

  /// Takes a record's members.
  init(_ fields: Fields) {
    wrapperType = fields.text(.wrapperType)
    kindName = fields.text(.kind)
    collectionID = fields.integer(.collectionId)
    trackID = fields.integer(.trackId)
    collectionName = fields.title(.collectionName) ?? fields.title(.collectionCensoredName)
    trackName = fields.title(.trackName) ?? fields.title(.trackCensoredName)
    artistName = fields.title(.artistName)
    feedURL = fields.text(.feedUrl).flatMap(FeedURL.init)
    artworkURL =
      fields.text(.artworkUrl600) ?? fields.text(.artworkUrl160) ?? fields.text(.artworkUrl100)
      ?? fields.text(.artworkUrl60) ?? fields.text(.artworkUrl30)
    trackCount = fields.integer(.trackCount)
    releaseDate = fields.text(.releaseDate)
    trackTimeMillis = fields.integer(.trackTimeMillis)
    episodeURL = fields.text(.episodeUrl)
    episodeGUID = fields.text(.episodeGuid)
    episodeFileExtension = fields.text(.episodeFileExtension)
    episodeContentType = fields.text(.episodeContentType)
  }

  /// What the record describes: by its own statement, otherwise by its fields.
  var kind: Kind {
    if kindName == "podcast-episode" || wrapperType == "podcastEpisode" { return .episode }
    if let kindName { return kindName == "podcast" ? .podcast : .other }
    if let wrapperType, wrapperType != "track" { return .other }
    if episodeURL != nil || episodeGUID != nil { return .episode }
    if let trackID, trackID != collectionID, trackName != nil, feedURL == nil { return .episode }
    return collectionID != nil && (collectionName != nil || feedURL != nil) ? .podcast : .other
  }

  fileprivate enum Key: String {
    case wrapperType, kind, collectionId, trackId, collectionName, collectionCensoredName
    case trackName, trackCensoredName, artistName, feedUrl, trackCount, releaseDate
    case artworkUrl600, artworkUrl160, artworkUrl100, artworkUrl60, artworkUrl30
    case trackTimeMillis, episodeUrl, episodeGuid, episodeFileExtension, episodeContentType
  }

  /// The members of a record that mean something, as they are written.
  struct Fields {
    private var values: [Key: JSONValue] = [:]

    /// Reads the value of a member, or skips it.
    mutating func read(
      _ name: String, _ scanner: inout JSONScanner
    ) throws(JSONScanner.Fault) {
      guard let key = Key(rawValue: name) else { return try scanner.skip() }
      if let value = try scanner.scalar() { values[key] = value }
    }

    /// A text without surrounding white space, or a number as text; nil when empty or anything else,
    /// and when it is longer than any address: half an address would lead elsewhere.
    fileprivate func text(_ key: Key) -> String? {
      wholeText(key).flatMap { $0.utf8.count > WebAddress.maximumBytes ? nil : $0 }
    }

    /// A text for display, cut if it is too long for a title.
    fileprivate func title(_ key: Key) -> String? {
      guard let text = wholeText(key) else { return nil }
      guard text.utf8.count > 4096 else { return text }
      var bytes = 0
      let kept = text.prefix { character in
        bytes += character.utf8.count
        return bytes <= 4096
      }
      let trimmed = String(kept).trimmingWhitespace()
      return trimmed.isEmpty ? nil : trimmed
    }

    private func wholeText(_ key: Key) -> String? {
      switch values[key] {
      case .string(let text):
        let trimmed = text.trimmingWhitespace().limitingCombiningMarks
        return trimmed.isEmpty ? nil : trimmed
      case .number(let number): return Int64(number).map { String($0) }
      case .bool, .null, nil: return nil
      }
    }

    /// An integer in any notation; nil for anything else.
    fileprivate func integer(_ key: Key) -> Int64? {
      switch values[key] {
      case .string(let text): Int64(text.trimmingWhitespace())
      case .number(let number):
        Int64(number) ?? Double(number).flatMap { Int64(exactly: $0.rounded()) }
      case .bool, .null, nil: nil
      }
    }
  }
}

import FoundationEssentials
import PodcastModel

/// The fields of an answer that identify its version (RFC 9110, section 8.8).
package struct Validator: Sendable, Hashable, Codable {
  /// The `ETag` field, byte for byte.
  package let etag: String?
  /// The `Last-Modified` field, byte for byte.
  package let lastModified: String?
  /// The `Date` field of the same answer.
  package let date: String?

  /// Creates a validator from fields as received, or as stored. Fields that cannot be stored are left
  /// out: they may be anything that a server, or who wrote the record, wanted.
  package init(etag: String? = nil, lastModified: String? = nil, date: String? = nil) {
    self.etag = FieldValue.storable(etag)
    self.lastModified = FieldValue.storable(lastModified)
    // A date does not count beside a tag, and a tag that is left out is still one. Without the time
    // of its answer a Last-Modified is never strong.
    self.date = etag == nil || self.etag != nil ? FieldValue.storable(date) : nil
  }

  /// Reads a stored validator.
  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      etag: try members.decodeIfPresent(String.self, forKey: .etag),
      lastModified: try members.decodeIfPresent(String.self, forKey: .lastModified),
      date: try members.decodeIfPresent(String.self, forKey: .date))
  }

  /// Creates a validator from the fields of a response.
  package init(_ head: ResponseHead) {
    self.init(
      etag: head.first("ETag"), lastModified: head.first("Last-Modified"), date: head.first("Date"))
  }

  /// The value for an `If-Range` field (RFC 9110, 13.1.5): a strong ETag; without any ETag a
  /// Last-Modified that is at least a second older than the answer. Nil when there is neither, and
  /// then received bytes cannot be continued safely.
  package var ifRange: String? {
    if let etag { return Self.isStrong(etag) ? etag : nil }
    guard let lastModified, let date,
      let modified = Date(httpDate: lastModified, now: .distantPast),
      let answered = Date(httpDate: date, now: .distantPast),
      answered.timeIntervalSince(modified) >= 1
    else { return nil }
    return lastModified
  }

  /// Whether another answer has the same version: true or false if strong validators or equal
  /// fields show it, nil if it is not known.
  package func isSameVersion(as other: Validator) -> Bool? {
    if let etag, let otherTag = other.etag, Self.isStrong(etag), Self.isStrong(otherTag) {
      return etag == otherTag
    }
    if etag == nil, other.etag == nil, ifRange != nil, let otherModified = other.lastModified {
      return lastModified == otherModified
    }
    // Weak fields that are equal prove nothing; weak fields that differ do.
    if let etag, let otherTag = other.etag, Self.opaque(etag) != Self.opaque(otherTag) {
      return false
    }
    if etag == nil || other.etag == nil, let lastModified, let otherModified = other.lastModified,
      lastModified != otherModified
    {
      return false
    }
    return nil
  }

  /// The tag without its weakness prefix, for the weak comparison of two tags (RFC 9110, 8.8.3.2).
  private static func opaque(_ etag: String) -> Substring {
    etag.hasPrefix("W/") ? etag.dropFirst(2) : etag[...]
  }

  /// A strong entity tag is an opaque string in quotes without `W/` (RFC 9110, 8.8.3). One with
  /// bytes beyond ASCII could not be sent back unchanged, so it does not count.
  private static func isStrong(_ etag: String) -> Bool {
    let bytes = etag.utf8
    return bytes.count >= 2 && bytes.first == 0x22 && bytes.last == 0x22
      && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }
}

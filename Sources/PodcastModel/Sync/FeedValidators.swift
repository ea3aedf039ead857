package import FoundationEssentials

/// The validators of a feed's answer, exactly as received: with quotes, with `W/`, with the suffix of
/// a content coding.
///
/// A server compares the text that it sent. What looks redundant in it may be needed.
package struct FeedValidators: Sendable, Hashable {
  /// The ETag. A weak one is as good as a strong one here (RFC 9110, 13.1.2).
  package var etag: String?
  /// The Last-Modified date.
  package var lastModified: String?

  /// Restores stored validators; without arguments there is none.
  package init(etag: String? = nil, lastModified: String? = nil) {
    self.etag = FieldValue.storable(etag)
    self.lastModified = FieldValue.storable(lastModified)
  }

  /// The usable validators of an answer.
  ///
  /// A Last-Modified later than the answer itself is wrong, and may stay the same for years while the
  /// feed changes. One of 1970 or earlier says only that the server knows none.
  ///
  /// - Parameters:
  ///   - etag: the ETag field.
  ///   - lastModified: the Last-Modified field.
  ///   - modified: the parsed Last-Modified; nil if it is not a date. Such a text is stored too.
  ///   - date: the parsed Date field, otherwise the time of the answer.
  package init(etag: String?, lastModified: String?, modified: Date?, date: Date) {
    self.etag = FieldValue.storable(etag)
    let isPlausible = modified.map { $0 <= date && $0.timeIntervalSince1970 > 0 } ?? true
    self.lastModified = isPlausible ? FieldValue.storable(lastModified) : nil
  }

  /// Whether there is none.
  package var isEmpty: Bool { etag == nil && lastModified == nil }
}

/// Which of the stored validators a feed is asked with.
///
/// Some servers answer 200 to both validators of a feed that has not changed, but 304 to one of them:
/// several machines with other dates of one file, or other ETags. Each step sends fewer.
package enum ValidatorUse: String, Sendable, Hashable, CaseIterable {
  case both
  case etagOnly
  case lastModifiedOnly
  case none

  /// What is sent of the stored validators.
  package func sent(of validators: FeedValidators) -> FeedValidators {
    switch self {
    case .both: validators
    case .etagOnly: FeedValidators(etag: validators.etag)
    case .lastModifiedOnly: FeedValidators(lastModified: validators.lastModified)
    case .none: FeedValidators()
    }
  }

  /// The next step: the first one that sends something else than this one, or nothing.
  package func next(for validators: FeedValidators) -> ValidatorUse {
    let tried = sent(of: validators)
    let later = Self.allCases.drop { $0 != self }.dropFirst()
    return later.first { step in
      let sent = step.sent(of: validators)
      return !sent.isEmpty && sent != tried
    } ?? .none
  }
}

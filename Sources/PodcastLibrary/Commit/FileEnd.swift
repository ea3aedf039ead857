/// The end of a body whose length no server announced: whether the file ends there too.
///
/// It judges by the same structure of the audio as `verify`, and by what the feed announces. A feed
/// alone proves nothing, because lengths in feeds are wrong in both directions.
package struct FileEnd: Sendable, Hashable {
  /// What marked the end of the body.
  package enum Mark: Sendable, Hashable {
    /// The last chunk, or the end of its coding: the message is complete. A program behind the
    /// server may have ended too early, though (RFC 9112, section 8).
    case message
    /// Only the end of the connection, which may have been interrupted.
    case connection
  }

  /// The judgement.
  package enum Judgement: Sendable, Hashable {
    /// The file ends here.
    case complete
    /// It does if the same bytes end here again; and, with `orOther`, if another version has such
    /// an end too, as on a host that makes a new file for each request.
    case unsure(orOther: Bool)
    /// Something is missing, whoever ends it here again; the sentence says what.
    case incomplete(String)
  }

  package var mark: Mark
  /// The length of the body in bytes.
  package var length: Int64
  package var structure: AudioStructure
  /// The length that the feed announces.
  package var announced: Int64?
  /// The duration that the feed announces.
  package var published: Duration?

  package init(
    _ mark: Mark, length: Int64, structure: AudioStructure, announced: Int64? = nil,
    published: Duration? = nil
  ) {
    self.mark = mark
    self.length = length
    self.structure = structure
    self.announced = announced
    self.published = published
  }
}

extension FileEnd {
  /// What the audio says, with the feed as a second witness where it has no own mark at its end.
  private enum Evidence {
    case whole
    /// Nothing is missing, as far as one can see.
    case likely
    case unknown
    case short(String)
  }

  /// Whether the file ends here.
  package var judgement: Judgement {
    guard length != announced else { return .complete }
    switch (audio, mark) {
    case (.whole, _): return .complete
    case (.likely, .message): return announcesMore ? .unsure(orOther: true) : .complete
    case (.likely, .connection): return .unsure(orOther: true)
    case (.unknown, .message):
      return length < announced ?? 0 ? .unsure(orOther: false) : .complete
    case (.unknown, .connection): return .unsure(orOther: false)
    // Some publishers' files are cut. Twice the same complete message outweighs the audio alone.
    case (.short(let reason), .message):
      return announcesMore ? .incomplete(reason) : .unsure(orOther: false)
    case (.short(let reason), .connection): return .incomplete(reason)
    }
  }

  private var audio: Evidence {
    switch structure.ending {
    case .whole: return .whole
    case .unmarked:
      if playsAsPublished { return .whole }
      guard announcesMore, let published, let played = structure.duration,
        published - played > AudioStructure.tolerance(published)
      else { return .likely }
      return .short("It plays less than was published.")
    // Many files are published with a cut last frame.
    case .open(let reason): return playsAsPublished || isNearAnnounced ? .likely : .short(reason)
    case .cut(let reason): return .short(reason)
    case .unknown: return .unknown
    }
  }

  private var playsAsPublished: Bool {
    guard let published, published > .zero, let played = structure.duration else { return false }
    let difference = played > published ? played - published : published - played
    return difference <= AudioStructure.tolerance(published)
  }

  /// Whether the feed announces clearly more than there is.
  private var announcesMore: Bool {
    guard let announced, announced > length else { return false }
    return announced - length > announced / 50
  }

  /// Whether the feed announces about as much as there is.
  private var isNearAnnounced: Bool {
    guard let announced, announced > 0 else { return false }
    return abs(announced - length) <= announced / 50
  }
}

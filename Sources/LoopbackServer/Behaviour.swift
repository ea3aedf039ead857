/// How a server misbehaves in one answer; by default it behaves well.
public struct Behaviour: Sendable, Hashable {
  /// How the end of the body is marked (RFC 9112, section 6.3).
  public enum Framing: Sendable, Hashable {
    /// By `Content-Length`.
    case contentLength
    /// By the chunked coding.
    case chunked
    /// By closing the connection.
    case untilClose
  }

  /// The validators that are sent, of those that the representation has.
  public enum Validators: Sendable, Hashable, CaseIterable {
    /// Both.
    case all
    /// The entity tag made weak (`W/`), and the date.
    case weakETag
    /// The entity tag made weak, without a date.
    case weakETagOnly
    /// The entity tag alone.
    case etagOnly
    /// The date alone.
    case lastModifiedOnly
    /// Neither.
    case none
  }

  /// The `Content-Range` of a 206.
  public enum ContentRange: Sendable, Hashable {
    /// The range that is really sent.
    case correct
    /// None.
    case missing
    /// This value.
    case text(String)
  }

  /// What happens to the connection instead of a proper end.
  public enum Cut: Sendable, Hashable {
    /// A FIN.
    case close
    /// A RST.
    case reset
    /// Silence until the client closes the connection.
    case stall
  }

  /// Where it happens.
  public enum CutPoint: Sendable, Hashable {
    /// Before the first byte of the answer.
    case beforeHead
    /// In the middle of the header fields.
    case insideHead
    /// After this many bytes of this answer's body.
    case afterBody(Int64)
  }

  /// An answer that is not the file.
  public struct Answer: Sendable, Hashable {
    /// The status.
    public var status: Int
    /// The header fields besides `Content-Length` and `Date`.
    public var fields: [Request.Field]
    /// The body.
    public var body: String

    /// Creates an answer.
    public init(status: Int, fields: [Request.Field] = [], body: String = "") {
      self.status = status
      self.fields = fields
      self.body = body
    }
  }

  /// Body bytes per second; 0 is no limit.
  public var rate = 0
  /// The answer instead of the file.
  public var answer: Answer?
  /// What interrupts the answer; nil lets it end.
  public var cut: Cut?
  /// Where it is interrupted.
  public var cutPoint = CutPoint.beforeHead
  /// Whether a `Range` is answered with the complete file.
  public var ignoresRange = false
  /// Whether an `If-Range` always counts as matching.
  public var ignoresIfRange = false
  /// How the end of the body is marked.
  public var framing = Framing.contentLength
  /// The validators sent.
  public var validators = Validators.all
  /// The `Content-Range` of a 206.
  public var contentRange = ContentRange.correct
  /// The distance from the requested start to the start that is really sent in a 206.
  public var rangeShift: Int64 = 0
  /// The maximum length of a 206 in bytes; nil is all that were requested.
  public var rangeLimit: Int64?
  /// The number in `Content-Length`, whatever is sent.
  public var contentLength: Int64?
  /// The status, whatever is sent.
  public var status: Int?
  /// Header fields to add.
  public var fields: [Request.Field] = []

  /// Creates a good behaviour; `change` may break it.
  public init(_ change: (inout Behaviour) -> Void = { _ in }) {
    change(&self)
  }

  /// Interrupts the answer.
  public static func cut(_ cut: Cut, _ point: CutPoint, rate: Int = 0) -> Behaviour {
    Behaviour {
      $0.cut = cut
      $0.cutPoint = point
      $0.rate = rate
    }
  }

  /// Answers with a status instead of the file.
  public static func answers(
    _ status: Int, fields: [Request.Field] = [], body: String = ""
  ) -> Behaviour {
    Behaviour { $0.answer = Answer(status: status, fields: fields, body: body) }
  }

  /// Redirects the client.
  public static func redirects(to location: String, status: Int = 302) -> Behaviour {
    answers(status, fields: [Request.Field("Location", location)])
  }
}

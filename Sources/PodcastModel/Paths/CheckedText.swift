/// A text from outside that was checked when its value was created, such as a path inside the
/// library.
///
/// Values are equal when their bytes are: two spellings of one text in Unicode may be two files.
/// They are read from records and written to them as strings; a string that fails the check is an
/// error that names the member and the problem.
public protocol CheckedText: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The problem of a string that fails the check, for use after the name of the member.
  static var problem: String { get }

  /// The text.
  var text: String { get }

  /// Checks a text; nil when it fails.
  init?(_ text: String)
}

extension CheckedText {
  /// The text.
  public var description: String { text }

  /// Values are equal when their bytes are.
  public static func == (first: Self, second: Self) -> Bool {
    first.text.utf8.elementsEqual(second.text.utf8)
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// Reads a string and checks it.
  public init(from decoder: any Decoder) throws {
    guard let value = Self(try decoder.singleValueContainer().decode(String.self)) else {
      throw RecordProblem(decoder, Self.problem)
    }
    self = value
  }

  /// Writes the text as a string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

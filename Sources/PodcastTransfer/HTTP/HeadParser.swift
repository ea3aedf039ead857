import PodcastModel

/// Builds the final response head of a transfer from the header lines that libcurl passes on one at
/// a time.
///
/// Interim (1xx) heads arrive through the same lines and are dropped (RFC 9110, section 15.2).
/// After the final head every line is a trailer and is ignored, whatever it contains.
package struct HeadParser {
  /// The result for a line.
  package enum Outcome: Sendable, Hashable {
    /// It belongs to a head that is not complete, or to a trailer.
    case taken
    /// It completed the final head.
    case completed
    /// There are now more header lines than are accepted.
    case excessive
  }

  /// The maximum number of bytes of lines up to the end of the final head, including interim heads.
  /// libcurl accepts as many in one head, but counts each head separately.
  static let longestHead = 300 * 1024
  /// The maximum number of bytes of lines after the final head; libcurl keeps all of them in
  /// memory.
  static let longestTrailer = 64 * 1024

  private var status: Int?
  private var fields: [HTTPField] = []
  private var headBytes = 0
  private var trailerBytes = 0
  /// The final head, after the blank line at its end.
  private(set) var head: ResponseHead?

  /// Parses one line with its line end.
  mutating func take(_ line: UnsafeRawBufferPointer) -> Outcome {
    guard head == nil else {
      trailerBytes += line.count
      return trailerBytes > Self.longestTrailer ? .excessive : .taken
    }
    headBytes += line.count
    guard headBytes <= Self.longestHead else { return .excessive }
    let text = Self.text(of: line)
    guard let status else {
      if text.utf8.starts(with: "HTTP/".utf8) {
        self.status = Self.status(ofLine: text)
        fields = []
      }
      return .taken
    }
    if text == "\r\n" || text == "\n" {
      guard status >= 200 else {
        self.status = nil
        return .taken
      }
      head = ResponseHead(status: status, fields: fields)
      return .completed
    }
    add(text)
    return .taken
  }

  /// A line as text. Invalid UTF-8 is repaired, except in an address: its bytes are requested as
  /// they were received (RFC 3986, section 2.1).
  private static func text(of line: UnsafeRawBufferPointer) -> String {
    let name = "location:".utf8
    guard line.count > name.count, zip(line, name).allSatisfy({ $0 | 0x20 == $1 | 0x20 }),
      String(validating: line, as: UTF8.self) == nil
    else { return String(decoding: line, as: UTF8.self) }
    return line.reduce(into: "") { text, byte in
      text += byte < 0x80 ? String(Unicode.Scalar(byte)) : PercentEncoding.encoded(byte)
    }
  }

  private mutating func add(_ line: String) {
    // Obsolete line folding continues the field before (RFC 9112, section 5.2).
    if line.utf8.first == 0x20 || line.utf8.first == 0x09 {
      guard let last = fields.last else { return }
      // libcurl reads the fields that frame a body without their continuation. A field that both
      // would read differently must not be valid.
      let frames = ["transfer-encoding", "content-length", "content-range"]
      let joint = frames.contains(last.name.lowercased()) ? ", folded " : " "
      fields[fields.count - 1].value += joint + line.trimmingASCIIWhitespace()
      return
    }
    guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return }
    let name = String(line[..<colon])
    let value = String(line[line.index(after: colon)...]).trimmingASCIIWhitespace()
    fields.append(HTTPField(name, value))
  }

  private static func status(ofLine line: String) -> Int? {
    let parts = line.split(whereSeparator: { $0 == " " || $0 == "\r" || $0 == "\n" || $0 == "\r\n" }
    )
    return parts.count > 1 ? Int(parts[1]) : nil
  }
}

extension String {
  /// The text without blanks, tabs and line ends around it.
  package func trimmingASCIIWhitespace() -> String {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    guard let first = utf8.firstIndex(where: { !isSpace($0) }),
      let last = utf8.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(self[first...last])
  }
}

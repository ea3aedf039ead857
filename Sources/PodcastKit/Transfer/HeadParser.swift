/// Builds response heads from the header lines that libcurl hands over one at a time.
///
/// Interim (1xx) heads come through the same lines and are dropped (RFC 9110, section 15.2);
/// trailer fields after a body are ignored.
struct HeadParser {
  private var status: Int?
  private var fields: [HTTPField] = []
  /// The final head, once the blank line after it has come.
  private(set) var head: ResponseHead?

  /// Takes one line with its line end. Returns true when it completed the final head.
  mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
    let text = String(decoding: line, as: UTF8.self)
    if text.utf8.starts(with: "HTTP/".utf8) {
      status = Self.status(ofLine: text)
      fields = []
      head = nil
      return false
    }
    guard let status, head == nil else { return false }
    if text == "\r\n" || text == "\n" {
      guard status >= 200 else {
        self.status = nil
        return false
      }
      head = ResponseHead(status: status, fields: fields)
      return true
    }
    add(text)
    return false
  }

  private mutating func add(_ line: String) {
    // Obsolete line folding continues the field before (RFC 9112, section 5.2).
    if line.utf8.first == 0x20 || line.utf8.first == 0x09 {
      guard !fields.isEmpty else { return }
      fields[fields.count - 1].value += " " + line.trimmingASCIIWhitespace()
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
  func trimmingASCIIWhitespace() -> String {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    guard let first = utf8.firstIndex(where: { !isSpace($0) }),
      let last = utf8.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(self[first...last])
  }
}

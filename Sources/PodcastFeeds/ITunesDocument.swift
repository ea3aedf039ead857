package import FoundationEssentials
package import PodcastModel

/// The outer structure of an answer: where its records are, and its error message.
package enum ITunesDocument {
  /// The records of an answer in any known structure: an object with `results`, only the list, a
  /// single record, or an answer quoted in the `contents` of a proxy.
  package static func records(in data: Data) throws(PodgetError) -> [ITunesRecord] {
    try records(in: data, mayBeQuoted: true)
  }

  /// Apple's own message about a bad request, if the data has one.
  package static func complaint(in data: Data) -> String? {
    var envelope = Envelope()
    do throws(JSONScanner.Fault) {
      try read(content(of: data), &envelope)
    } catch {
      return nil
    }
    return envelope.errorMessage
  }
}

extension ITunesDocument {
  private static func records(
    in data: Data, mayBeQuoted: Bool
  ) throws(PodgetError) -> [ITunesRecord] {
    let content = content(of: data)
    guard let first = content.first else {
      throw PodgetError(.decoding, "Apple's catalog sent an empty answer; try again later.")
    }
    if first == UInt8(ascii: "<") {
      throw PodgetError(
        .decoding, "Apple's catalog sent a web page instead of its data; try again later.")
    }
    var envelope = Envelope()
    do throws(JSONScanner.Fault) {
      try read(content, &envelope)
    } catch {
      let closing = [UInt8(ascii: "}"), UInt8(ascii: "]")]
      let isCut = content.last.map { !closing.contains($0) } ?? true
      throw PodgetError(
        .decoding,
        isCut
          ? "The answer of Apple's catalog is incomplete; try again."
          : "The answer of Apple's catalog is not valid JSON; try again later.")
    }
    if let message = envelope.errorMessage {
      throw PodgetError(.decoding, "Apple's catalog refused the request: \(message)")
    }
    if let records = envelope.results { return records }
    if let contents = envelope.contents, mayBeQuoted {
      return try records(in: Data(contents.utf8), mayBeQuoted: false)
    }
    let record = ITunesRecord(envelope.fields)
    if record.kind != .other { return [record] }
    throw PodgetError(.decoding, "The answer of Apple's catalog has no list of results.")
  }

  /// The data without a byte order mark and surrounding white space.
  private static func content(of data: Data) -> Data.SubSequence {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    var content = data[...]
    if content.starts(with: [0xEF, 0xBB, 0xBF]) { content = content.dropFirst(3) }
    content = content.drop(while: isSpace)
    let end = content.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? content.startIndex
    return content[..<end]
  }

  /// An object around records, or the members of a single record.
  private struct Envelope {
    var results: [ITunesRecord]?
    var errorMessage: String?
    var contents: String?
    var fields = ITunesRecord.Fields()
  }

  private static func read(
    _ content: Data.SubSequence, _ envelope: inout Envelope
  ) throws(JSONScanner.Fault) {
    let result = content.withUnsafeBytes { bytes in
      Result { () throws(JSONScanner.Fault) in
        var envelope = envelope
        var scanner = JSONScanner(bytes.bindMemory(to: UInt8.self))
        if scanner.isArray() {
          envelope.results = try records(&scanner)
        } else {
          try scanner.object { (scanner, name) throws(JSONScanner.Fault) in
            switch name {
            case "results" where scanner.isArray(): envelope.results = try records(&scanner)
            case "errorMessage": envelope.errorMessage = try string(&scanner)
            case "contents": envelope.contents = try string(&scanner)
            default: try envelope.fields.read(name, &scanner)
            }
          }
        }
        guard scanner.isAtEnd() else { throw JSONScanner.Fault() }
        return envelope
      }
    }
    envelope = try result.get()
  }

  private static func records(
    _ scanner: inout JSONScanner
  ) throws(JSONScanner.Fault) -> [ITunesRecord] {
    var records: [ITunesRecord] = []
    try scanner.array { scanner throws(JSONScanner.Fault) in
      records.append(try ITunesRecord(&scanner))
    }
    return records
  }

  private static func string(_ scanner: inout JSONScanner) throws(JSONScanner.Fault) -> String? {
    guard case .string(let text) = try scanner.scalar() else { return nil }
    return text
  }
}

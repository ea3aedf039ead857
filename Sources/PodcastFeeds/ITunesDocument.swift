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
    (try? JSONDecoder().decode(Envelope.self, from: Data(content(of: data))))?.errorMessage
  }
}

extension ITunesDocument {
  private static func records(
    in data: Data, mayBeQuoted: Bool
  ) throws(PodgetError) -> [ITunesRecord] {
    let content = content(of: data)
    guard let first = content.first else {
      throw PodgetError(.decoding, "Apple's directory sent an empty answer; try again later.")
    }
    if first == UInt8(ascii: "<") {
      throw PodgetError(
        .decoding, "Apple's directory sent a web page instead of its data; try again later.")
    }
    let json = Data(content)
    if first == UInt8(ascii: "[") { return try decode([ITunesRecord].self, from: json) }
    let envelope = try decode(Envelope.self, from: json)
    if let message = envelope.errorMessage {
      throw PodgetError(.decoding, "Apple's directory refused the request: \(message)")
    }
    if let records = envelope.results { return records }
    if let contents = envelope.contents, mayBeQuoted {
      return try records(in: Data(contents.utf8), mayBeQuoted: false)
    }
    let record = try decode(ITunesRecord.self, from: json)
    if record.kind != .other { return [record] }
    throw PodgetError(.decoding, "The answer of Apple's directory has no list of results.")
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

  private static func decode<Value: Decodable>(
    _ type: Value.Type, from json: Data
  ) throws(PodgetError) -> Value {
    do {
      return try JSONDecoder().decode(type, from: json)
    } catch {
      let closing = [UInt8(ascii: "}"), UInt8(ascii: "]")]
      let isCut = json.last.map { !closing.contains($0) } ?? true
      throw PodgetError(
        .decoding,
        isCut
          ? "The answer of Apple's directory is incomplete; try again."
          : "The answer of Apple's directory is not valid JSON; try again later.")
    }
  }

  private struct Envelope: Decodable {
    var results: [ITunesRecord]?
    var errorMessage: String?
    var contents: String?

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: Key.self)
      results = try? fields.decode([ITunesRecord].self, forKey: .results)
      errorMessage = try? fields.decode(String.self, forKey: .errorMessage)
      contents = try? fields.decode(String.self, forKey: .contents)
    }

    private enum Key: String, CodingKey {
      case results, errorMessage, contents
    }
  }
}

/// Any value of JSON: what a newer podget has written in a line, kept as it is.
package indirect enum RecordValue: Codable, Sendable, Hashable {
  case null
  case bool(Bool)
  case integer(Int64)
  case natural(UInt64)
  case number(Double)
  case text(String)
  case list([RecordValue])
  case members([String: RecordValue])

  /// How deep values may be nested. The encoder refuses less than the decoder does.
  private static let mostLevels = 128

  /// Reads a value of any kind.
  ///
  /// - Throws: a `DecodingError` if it is nested too deep to be written again.
  package init(from decoder: any Decoder) throws {
    guard decoder.codingPath.count <= Self.mostLevels else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: [], debugDescription: "nested too deep"))
    }
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let integer = try? value.decode(Int64.self) {
      self = .integer(integer)
    } else if let natural = try? value.decode(UInt64.self) {
      self = .natural(natural)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let list = try? value.decode([RecordValue].self) {
      self = .list(list)
    } else {
      self = .members(try value.decode([String: RecordValue].self))
    }
  }

  /// Writes it as it was read.
  package func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .null: try value.encodeNil()
    case .bool(let bool): try value.encode(bool)
    case .integer(let integer): try value.encode(integer)
    case .natural(let natural): try value.encode(natural)
    case .number(let number): try value.encode(number)
    case .text(let text): try value.encode(text)
    case .list(let list): try value.encode(list)
    case .members(let members): try value.encode(members)
    }
  }
}

/// Parameters as the query of an address, in the form encoding of HTML (`+` for a space).
package struct FormQuery: CustomStringConvertible {
  private let parameters: [(name: String, value: String)]

  /// Makes a query of parameters in their order.
  package init(_ parameters: [(String, String)]) {
    self.parameters = parameters.map { (name: $0.0, value: $0.1) }
  }

  /// The encoded parameters, joined by `&`.
  package var description: String {
    parameters.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }
      .joined(separator: "&")
  }

  private static func encoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x61...0x7A, 0x41...0x5A, 0x30...0x39, 0x2A, 0x2D, 0x2E, 0x5F:
        bytes.append(byte)
      case 0x20:
        bytes.append(0x2B)
      default:
        bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

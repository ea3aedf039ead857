import PodcastModel
import Testing

@testable import podget

@Suite("sources on standard input") struct SourceListTests {
  private func sources(_ bytes: [UInt8], piece: Int = .max) throws -> [String] {
    var list = SourceList()
    var rest = bytes[...]
    while !rest.isEmpty {
      let next = rest.prefix(min(piece, rest.count))
      try list.add(next)
      rest = rest.dropFirst(next.count)
    }
    return try list.finish()
  }

  private func failure(_ bytes: [UInt8]) -> String? {
    do {
      _ = try sources(bytes)
      return nil
    } catch {
      return (error as? PodgetError)?.message
    }
  }

  @Test(
    "one per line, without what editors and other systems add",
    arguments: [
      ("", []), ("\n\r\n \t\n", []), ("1", ["1"]), ("1\n2\n", ["1", "2"]),
      ("1\r\n2\r\n", ["1", "2"]), ("\u{FEFF}1\r\n", ["1"]), ("\u{FEFF}# a\n1", ["1"]),
      ("  1 \t\n\u{A0}2\u{3000}\n", ["1", "2"]), ("# no\n  # no\n1 # yes\n", ["1 # yes"]),
      ("The Symbolic World\nCafé – ö\n", ["The Symbolic World", "Café – ö"]),
    ] as [(String, [String])])
  func lines(text: String, expected: [String]) throws {
    for piece in [Int.max, 1, 2, 3] {
      #expect(try sources(Array(text.utf8), piece: piece) == expected)
    }
  }

  @Test("an invalid list of sources is one clear error") func errors() throws {
    let bound = StandardInput.longestLine
    let long = [UInt8](repeating: 0x61, count: bound)
    #expect(try sources(long).count == 1)
    #expect(
      failure([0x31, 0x0A] + long + [0x61])
        == "Line 2 of standard input is longer than \(bound) bytes.")
    #expect(failure([0x31, 0x0A, 0xFF, 0x0A]) == "Line 2 of standard input is not UTF-8 text.")
    #expect(failure([0x31, 0xC3]) == "Line 1 of standard input is not UTF-8 text.")
    #expect(failure([0x31, 0, 0x32]) == "Line 1 of standard input is binary data, not text.")
    let many = [UInt8](String(repeating: "1\n", count: StandardInput.mostSources).utf8)
    #expect(try sources(many).count == StandardInput.mostSources)
    #expect(
      failure(many + [0x31])
        == "Standard input names more than \(StandardInput.mostSources) sources.")
  }
}

/// Why a record is refused: it can be read, but a value in it cannot be one that podget wrote.
package struct RecordProblem: Error, Hashable {
  /// The problem, for use after a colon: `"file" is not a name in the folder`.
  package let reason: String

  package init(_ reason: String) { self.reason = reason }

  /// Names the member that a decoder is reading.
  package init(_ decoder: any Decoder, _ problem: String) {
    let name = decoder.codingPath.last?.stringValue ?? "it"
    self.init("\"\(name)\" \(problem)")
  }
}

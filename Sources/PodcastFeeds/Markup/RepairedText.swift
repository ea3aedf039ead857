/// The text that a repair passes on: so much between two tags, and in CDATA sections of bounded length.
///
/// Where text is cut or a section ends does not depend on how the bytes were cut, and is never inside a
/// character.
struct RepairedText {
  /// The most text between two tags; what follows is left out. All references that a description of the
  /// longest kept length can consist of fit in.
  static let maximumBytes = 8 * FeedLimits.descriptionBytes
  /// The length at which a CDATA section is ended and another one begun. The push parser waits for the
  /// end of a section, and looks for it from the beginning each time.
  static let sectionBytes = 16 * 1024

  /// How much text was passed on since the last tag, and how much of it in this CDATA section.
  private var length = 0
  private var sectionLength = 0

  /// Whether there is room for more.
  private var hasRoom: Bool { length < Self.maximumBytes }

  /// Whether so much text is passed on without a cut in it.
  func hasRoom(for count: Int) -> Bool { count <= Self.maximumBytes - length }

  /// Ends the text: a tag was passed on.
  mutating func end() { length = 0 }

  /// Passes text on that has no markup.
  mutating func append(_ text: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
    guard hasRoom else { return }
    var end = min(text.count, Self.maximumBytes - length)
    while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
    output.append(contentsOf: UnsafeBufferPointer(rebasing: text[..<end]))
    length += end
  }

  /// Passes a reference on, all of it or nothing.
  mutating func append(reference: StaticString, to output: inout [UInt8]) {
    guard hasRoom else { return }
    output.append(
      contentsOf: UnsafeBufferPointer(
        start: reference.utf8Start, count: reference.utf8CodeUnitCount))
    length += reference.utf8CodeUnitCount
  }

  /// Passes on what a reference means, or its text where it has no end.
  mutating func append(reference name: [UInt8], hasEnd: Bool, to output: inout [UInt8]) {
    guard hasRoom else { return }
    let before = output.count
    if hasEnd {
      CharacterReference.append(name, to: &output)
    } else {
      output += "&amp;".utf8
      output += name
    }
    length += output.count - before
  }

  /// Begins a CDATA section.
  mutating func beginSection(_ output: inout [UInt8]) {
    output += Self.sectionStart
    sectionLength = 0
  }

  /// Passes text of a CDATA section on.
  mutating func append(section text: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
    var rest = text
    while !rest.isEmpty, hasRoom {
      if sectionLength >= Self.sectionBytes {
        endSection(&output)
        beginSection(&output)
      }
      var end = min(rest.count, Self.sectionBytes - sectionLength)
      while end < rest.count, rest[end] & 0xC0 == 0x80 { end += 1 }
      let before = length
      append(UnsafeBufferPointer(rebasing: rest[..<end]), to: &output)
      sectionLength += length - before
      rest = UnsafeBufferPointer(rebasing: rest[end...])
    }
  }

  /// Passes brackets on that turned out not to end a CDATA section.
  mutating func append(sectionBrackets count: Int, to output: inout [UInt8]) {
    for _ in 0..<count {
      withUnsafeBytes(of: UInt8(ascii: "]")) {
        append(section: $0.assumingMemoryBound(to: UInt8.self), to: &output)
      }
    }
  }

  /// Ends a CDATA section.
  func endSection(_ output: inout [UInt8]) { output += Self.sectionEnd }

  private static let sectionStart = Array("<![CDATA[".utf8)
  private static let sectionEnd = Array("]]>".utf8)
}

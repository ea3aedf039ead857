import PodcastTransfer

/// The audio of an Ogg file (RFC 3533): its header packets but for the comments, and the content of all
/// pages behind them. The numbers and the checksums of pages depend on how many pages the comments take.
enum OggAudio {
  private static let headerLength: Int64 = 27

  /// A page without its content.
  private struct Page {
    let header: [UInt8]
    let start: Int64

    /// How long the parts of packets in it are (RFC 3533, section 6, lacing values).
    var segments: ArraySlice<UInt8> { header[27...] }
    var content: Range<Int64> {
      let first = start + Int64(header.count)
      return first..<(first + segments.reduce(0) { $0 + Int64($1) })
    }
    var serial: ArraySlice<UInt8> { header[14..<18] }
    /// The flags, and how many samples there are up to its end.
    var state: ArraySlice<UInt8> { header[5..<14] }
  }

  /// Adds the audio of a file; false if it is no Ogg file with one stream.
  ///
  /// - Parameter headers: how many packets come before the audio; the second one has the comments.
  static func add(
    _ file: inout some AudioBytes, headers: Int, to digest: inout SHA2Digest
  ) throws(DiskError) -> Bool {
    var position: Int64 = 0
    var packet = 0
    var length: Int64 = 0
    var serial: ArraySlice<UInt8>?
    while position < file.length {
      guard let page = try page(at: position, &file) else {
        // What is not a page is behind the last one, and stays as it is.
        guard packet >= headers else { return false }
        return try AudioDigest.add(position..<file.length, of: &file, to: &digest)
      }
      guard serial == nil || serial == page.serial else { return false }
      serial = page.serial
      if packet >= headers {
        digest.add(page.state)
        digest.add(page.segments)
        guard try AudioDigest.add(page.content, of: &file, to: &digest) else { return false }
      } else {
        var place = page.content.lowerBound
        for (number, segment) in page.segments.enumerated() {
          if packet != 1 {
            let part = place..<(place + Int64(segment))
            guard try AudioDigest.add(part, of: &file, to: &digest) else { return false }
          }
          place += Int64(segment)
          length += Int64(segment)
          guard segment < 255 else { continue }
          if packet != 1 { digest.add(length) }
          (packet, length) = (packet + 1, 0)
          // Audio begins on a page of its own.
          if packet == headers, number != page.segments.count - 1 { return false }
        }
      }
      position = page.content.upperBound
    }
    return packet >= headers
  }

  /// The page at a position; nil if there is none, or not all of it.
  private static func page(
    at position: Int64, _ file: inout some AudioBytes
  ) throws(DiskError) -> Page? {
    let bytes = try file.next(Int(headerLength) + 255, at: position)
    guard bytes.starts(with: "OggS".utf8), bytes.count >= Int(headerLength) else { return nil }
    let count = Int(headerLength) + Int(bytes[bytes.startIndex + 26])
    guard bytes.count >= count else { return nil }
    let page = Page(header: Array(bytes.prefix(count)), start: position)
    return page.content.upperBound <= file.length ? page : nil
  }
}

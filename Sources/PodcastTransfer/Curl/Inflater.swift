internal import CZlib

/// Decodes one coding of a body as it arrives: gzip (RFC 1952), or deflate in its frame (RFC 1950)
/// or without it (RFC 1951).
///
/// It knows whether the coding's own end was there. libcurl decodes too, but calls a body complete
/// whatever its coding lacks.
final class Inflater {
  /// What it decodes.
  enum Coding: Sendable, Hashable {
    case gzip
    case deflate
  }

  /// What became of a piece.
  enum Outcome: Sendable, Hashable {
    case taken
    /// The receiver of the decoded bytes refused them.
    case refused
    /// The bytes are not in this coding; the reason is part of a sentence.
    case invalid(String)
  }

  private enum State {
    /// Nothing has arrived.
    case empty
    /// Within a member; gzip may have several (RFC 1952, section 2.2).
    case within(isFirst: Bool)
    /// After a complete member.
    case ended
    /// After the last member: what follows it is not the file.
    case ignoring
  }

  private static let blockSize = 64 * 1024

  private let coding: Coding
  /// zlib keeps the address.
  private let stream: UnsafeMutablePointer<z_stream>
  private let block: UnsafeMutablePointer<UInt8>
  private var state = State.empty

  init(_ coding: Coding) {
    self.coding = coding
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    block = .allocate(capacity: Self.blockSize)
  }

  deinit {
    // Without effect on a stream that never began.
    inflateEnd(stream)
    stream.deallocate()
    block.deallocate()
  }

  /// Whether the coding ended properly here; an empty body has no coding.
  var isAtEnd: Bool {
    switch state {
    case .empty, .ended, .ignoring: true
    case .within: false
    }
  }

  /// Decodes a piece of the body.
  func decode(
    _ bytes: UnsafeRawBufferPointer, into receive: (UnsafeRawBufferPointer) -> Outcome
  ) -> Outcome {
    var rest = bytes
    while let first = rest.first {
      switch state {
      case .ignoring: return .taken
      case .within: break
      case .empty:
        guard begin(first) == Z_OK else { return .invalid("there is no memory to decode it") }
        state = .within(isFirst: true)
      case .ended:
        guard coding == .gzip, first == 0x1F, inflateReset(stream) == Z_OK else {
          state = .ignoring
          return .taken
        }
        state = .within(isFirst: false)
      }
      let outcome = inflateMember(&rest, into: receive)
      guard outcome == .taken else { return outcome }
    }
    return .taken
  }

  /// The first byte of a zlib frame names its method, which is 8; a deflate stream never begins so.
  private func begin(_ first: UInt8) -> Int32 {
    switch coding {
    case .gzip: podget_inflate_begin(stream, MAX_WBITS + 16)
    case .deflate: podget_inflate_begin(stream, first & 0x0F == 8 ? MAX_WBITS : -MAX_WBITS)
    }
  }

  /// Decodes up to the end of the member or of the piece.
  private func inflateMember(
    _ rest: inout UnsafeRawBufferPointer, into receive: (UnsafeRawBufferPointer) -> Outcome
  ) -> Outcome {
    let piece = rest
    // zlib does not write to its input.
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: piece.assumingMemoryBound(to: UInt8.self).baseAddress)
    stream.pointee.avail_in = UInt32(clamping: piece.count)
    defer { rest = UnsafeRawBufferPointer(rebasing: piece.suffix(Int(stream.pointee.avail_in))) }
    while true {
      stream.pointee.next_out = block
      stream.pointee.avail_out = UInt32(Self.blockSize)
      let code = inflate(stream, Z_NO_FLUSH)
      let count = Self.blockSize - Int(stream.pointee.avail_out)
      if count > 0 {
        let outcome = receive(UnsafeRawBufferPointer(start: block, count: count))
        guard outcome == .taken else { return outcome }
      }
      switch code {
      case Z_OK: if stream.pointee.avail_in == 0, stream.pointee.avail_out > 0 { return .taken }
      // It needs more input.
      case Z_BUF_ERROR: return .taken
      case Z_STREAM_END:
        state = .ended
        return .taken
      default:
        // Something behind the last member that only looks like one more.
        if case .within(isFirst: false) = state, stream.pointee.total_out == 0 {
          state = .ignoring
          stream.pointee.avail_in = 0
          return .taken
        }
        return .invalid(stream.pointee.msg.map { String(cString: $0) } ?? "zlib reports \(code)")
      }
    }
  }
}

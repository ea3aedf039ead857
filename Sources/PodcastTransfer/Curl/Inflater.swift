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

  /// What comes next.
  enum Output {
    /// Decoded bytes, which are valid until the next call; none if input was only skipped.
    case bytes(UnsafeRawBufferPointer)
    /// Nothing without more input.
    case needsInput
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
  private var input = Inflater.nothing
  /// Why the input is invalid behind the bytes that were given last.
  private var failure: String?

  private static var nothing: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: nil, count: 0)
  }

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

  /// How many bytes of the input are left.
  var unread: Int { input.count }

  /// Sets the input. It must stay valid until all of it is read, or until the next input.
  func feed(_ bytes: UnsafeRawBufferPointer) { input = bytes }

  /// Decodes as much as a block holds.
  func next() -> Output {
    if let failure { return .invalid(failure) }
    switch state {
    case .ignoring:
      guard !input.isEmpty else { return .needsInput }
      input = Self.nothing
      return .bytes(Self.nothing)
    case .within: break
    case .empty:
      guard let first = input.first else { return .needsInput }
      guard begin(first) == Z_OK else { return .invalid("there is no memory to decode it") }
      state = .within(isFirst: true)
    case .ended:
      guard let first = input.first else { return .needsInput }
      guard coding == .gzip, first == 0x1F, inflateReset(stream) == Z_OK else {
        state = .ignoring
        return next()
      }
      state = .within(isFirst: false)
    }
    return inflateBlock()
  }

  /// The first byte of a zlib frame names its method, which is 8; a deflate stream never begins so.
  private func begin(_ first: UInt8) -> Int32 {
    switch coding {
    case .gzip: podget_inflate_begin(stream, MAX_WBITS + 16)
    case .deflate: podget_inflate_begin(stream, first & 0x0F == 8 ? MAX_WBITS : -MAX_WBITS)
    }
  }

  private func inflateBlock() -> Output {
    // zlib does not write to its input.
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: input.assumingMemoryBound(to: UInt8.self).baseAddress)
    stream.pointee.avail_in = UInt32(clamping: input.count)
    stream.pointee.next_out = block
    stream.pointee.avail_out = UInt32(Self.blockSize)
    let code = inflate(stream, Z_NO_FLUSH)
    input = UnsafeRawBufferPointer(rebasing: input.suffix(Int(stream.pointee.avail_in)))
    let count = Self.blockSize - Int(stream.pointee.avail_out)
    switch code {
    case Z_OK, Z_BUF_ERROR: if count == 0 { return .needsInput }
    case Z_STREAM_END: state = .ended
    default:
      // Something behind the last member that only looks like one more.
      if case .within(isFirst: false) = state, stream.pointee.total_out == 0 {
        state = .ignoring
      } else {
        failure = stream.pointee.msg.map { String(cString: $0) } ?? "zlib reports \(code)"
      }
    }
    return .bytes(UnsafeRawBufferPointer(start: block, count: count))
  }
}

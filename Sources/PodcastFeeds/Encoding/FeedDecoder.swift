/// Turns a feed's bytes into clean UTF-8 as they arrive, whatever they are encoded in.
///
/// What comes out does not depend on how the bytes were cut.
struct FeedDecoder {
  /// How many bytes from the first one beyond ASCII on are looked at, to see whether a feed that
  /// declares another character set is UTF-8 all the same.
  private static let weighedBytes = 64 * 1024

  private enum State {
    /// Gathering the head.
    case deciding
    case utf8
    /// Passing ASCII on.
    case ascii(String)
    /// Gathering what is UTF-8 or in that character set.
    case weighing(String)
    case converting(CharacterSetConverter)
  }

  private let charset: String?
  private var state = State.deciding
  private var gathered: [UInt8] = []
  private var converted: [UInt8] = []
  private var cleaner = UTF8Cleaner()

  /// - Parameter charset: the `charset` parameter of the HTTP answer's content type.
  init(charset: String?) { self.charset = charset }

  /// Whether it is certain that the next bytes are clean UTF-8, and nothing waits to come before them.
  func isUnchanged(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard case .utf8 = state else { return false }
    return cleaner.isUnchanged(bytes)
  }

  /// Takes the next bytes and appends what can be decoded by now.
  mutating func add(_ bytes: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
    switch state {
    case .deciding:
      let taken = min(bytes.count, EncodingDecision.headBytes - gathered.count)
      gathered.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[..<taken]))
      guard gathered.count == EncodingDecision.headBytes else { return }
      decide(to: &output)
      if taken < bytes.count { add(UnsafeBufferPointer(rebasing: bytes[taken...]), to: &output) }
    case .utf8:
      cleaner.add(bytes, to: &output)
    case .ascii(let name):
      let end = ByteSearch.firstBeyondASCII(bytes)
      cleaner.add(UnsafeBufferPointer(rebasing: bytes[..<end]), to: &output)
      guard end < bytes.count else { return }
      state = .weighing(name)
      add(UnsafeBufferPointer(rebasing: bytes[end...]), to: &output)
    case .weighing(let name):
      let taken = min(bytes.count, Self.weighedBytes - gathered.count)
      gathered.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[..<taken]))
      guard gathered.count == Self.weighedBytes else { return }
      weigh(name, to: &output)
      if taken < bytes.count { add(UnsafeBufferPointer(rebasing: bytes[taken...]), to: &output) }
    case .converting(let converter):
      converted.removeAll(keepingCapacity: true)
      converter.convert(bytes, to: &converted)
      converted.withUnsafeBufferPointer { cleaner.add($0, to: &output) }
    }
  }

  /// Ends the input.
  mutating func finish(to output: inout [UInt8]) {
    if case .deciding = state { decide(to: &output) }
    if case .weighing(let name) = state { weigh(name, to: &output) }
    if case .converting(let converter) = state {
      converted.removeAll(keepingCapacity: true)
      converter.finish(to: &converted)
      converted.withUnsafeBufferPointer { cleaner.add($0, to: &output) }
    }
    cleaner.finish(to: &output)
  }

  private mutating func decide(to output: inout [UInt8]) {
    let decision = EncodingDecision(head: gathered, charset: charset)
    switch decision.method {
    case .utf8: state = .utf8
    case .utf8Or(let name): state = .ascii(name)
    case .converted(let name, let unit):
      state = CharacterSetConverter(name, unit: unit).map { .converting($0) } ?? .utf8
    }
    release(from: decision.markBytes, to: &output)
  }

  private mutating func weigh(_ name: String, to output: inout [UInt8]) {
    let isUTF8 = gathered.withUnsafeBufferPointer { UTF8Cleaner.isMostlyValid($0) }
    let converter = isUTF8 ? nil : CharacterSetConverter(name)
    state = converter.map { .converting($0) } ?? .utf8
    release(from: 0, to: &output)
  }

  /// Decodes what was gathered, now that it is known how.
  private mutating func release(from start: Int, to output: inout [UInt8]) {
    let bytes = gathered
    gathered = []
    bytes.withUnsafeBufferPointer {
      add(UnsafeBufferPointer(rebasing: $0[start...]), to: &output)
    }
  }
}

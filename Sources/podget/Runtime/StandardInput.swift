import Glibc
import PodcastKit

/// Standard input, from which sources come one per line.
struct StandardInput: Sendable {
  /// Reads the next bytes into a buffer and returns how many; 0 at the end. It may block.
  typealias Read =
    @Sendable (UnsafeMutableRawBufferPointer) throws(PodgetError) -> Int

  /// The maximum length of a line in bytes; the longest addresses that servers accept are shorter.
  static let longestLine = 64 * 1024
  /// The maximum number of sources in one run.
  static let mostSources = 100_000

  /// Whether it is a terminal.
  let isTerminal: Bool
  private let readNext: Read

  /// Input through a closure.
  init(isTerminal: Bool = false, _ read: @escaping Read) {
    self.isTerminal = isTerminal
    readNext = read
  }

  /// The input of a descriptor.
  static func descriptor(_ descriptor: Int32) -> StandardInput {
    StandardInput(isTerminal: Terminal.isTerminal(descriptor)) { buffer throws(PodgetError) in
      while true {
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        if count >= 0 { return count }
        if errno == EAGAIN {
          // Another program may have left the shared descriptor in non-blocking mode.
          var descriptor = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
          _ = poll(&descriptor, 1, -1)
        } else if errno != EINTR {
          let reason = String(cString: strerror(errno))
          throw PodgetError(.decoding, "Standard input cannot be read: \(reason).")
        }
      }
    }
  }

  /// The sources on standard input, read to its end. Cancelling the task ends the wait.
  ///
  /// - Throws: a ``PodgetError`` when it cannot be read, or is not a list of sources.
  func sources() async throws(PodgetError) -> [String] {
    let result = await BlockingWork.run { () -> Result<[String], PodgetError> in
      do throws(PodgetError) {
        var list = SourceList()
        try read { bytes throws(PodgetError) in try list.add(bytes) }
        return .success(try list.finish())
      } catch {
        return .failure(error)
      }
    }
    return try result?.get() ?? []
  }

  /// All of standard input. Cancelling the task ends the wait.
  ///
  /// - Throws: a ``PodgetError`` when it cannot be read, or has more bytes than the limit.
  func contents(limit: Int) async throws(PodgetError) -> [UInt8] {
    let result = await BlockingWork.run { () -> Result<[UInt8], PodgetError> in
      do throws(PodgetError) {
        var contents: [UInt8] = []
        try read { bytes throws(PodgetError) in
          guard bytes.count <= limit - contents.count else {
            throw PodgetError(
              .decoding, "Standard input has more than \(limit >> 20) MiB.")
          }
          contents += bytes
        }
        return .success(contents)
      } catch {
        return .failure(error)
      }
    }
    return try result?.get() ?? []
  }

  private func read(
    _ take: (UnsafeRawBufferPointer) throws(PodgetError) -> Void
  ) throws(PodgetError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 1)
    defer { buffer.deallocate() }
    while true {
      let count = try readNext(buffer)
      guard count > 0 else { return }
      try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }
}

/// The lines of a list of sources, as they arrive.
///
/// Blanks around a source, carriage returns and a byte order mark are removed; empty lines and
/// lines that begin with `#` are ignored.
struct SourceList {
  private var sources: [String] = []
  private var line: [UInt8] = []
  private var number = 0

  /// Adds further bytes.
  /// - Throws: a ``PodgetError`` with the code `decoding`.
  mutating func add(_ bytes: some Collection<UInt8>) throws(PodgetError) {
    var rest = bytes[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      try append(rest[..<end])
      try endLine()
      rest = rest[rest.index(after: end)...]
    }
    try append(rest)
  }

  /// The sources of everything that was added.
  /// - Throws: a ``PodgetError`` with the code `decoding`.
  mutating func finish() throws(PodgetError) -> [String] {
    if !line.isEmpty { try endLine() }
    return sources
  }

  private mutating func append(_ bytes: some Collection<UInt8>) throws(PodgetError) {
    guard line.count + bytes.count <= StandardInput.longestLine else {
      throw error("is longer than \(StandardInput.longestLine) bytes")
    }
    line.append(contentsOf: bytes)
  }

  private mutating func endLine() throws(PodgetError) {
    guard let text = String(validating: line, as: UTF8.self) else {
      throw error("is not UTF-8 text")
    }
    if text.unicodeScalars.contains("\0") { throw error("is binary data, not text") }
    number += 1
    line.removeAll(keepingCapacity: true)
    let source = Self.trimmed(
      number == 1 && text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...])
    guard !source.isEmpty, !source.hasPrefix("#") else { return }
    guard sources.count < StandardInput.mostSources else {
      throw PodgetError(
        .decoding, "Standard input names more than \(StandardInput.mostSources) sources.")
    }
    sources.append(source)
  }

  private func error(_ what: String) -> PodgetError {
    PodgetError(.decoding, "Line \(number + 1) of standard input \(what).")
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}

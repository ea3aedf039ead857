import Foundation
import Synchronization
import TestSupport
import Testing

@testable import BrowseScreen

/// Terminals that take bytes slowly, or not at all.
struct TerminalWriterTests {
  private let terminal: PseudoTerminal
  private let program: Int32

  init() throws {
    terminal = try PseudoTerminal()
    program = terminal.open(O_RDWR | O_NONBLOCK)
    // Bytes arrive as they were written.
    var attributes = terminal.attributes
    cfmakeraw(&attributes)
    tcsetattr(program, TCSANOW, &attributes)
  }

  /// Writes until the terminal takes nothing more.
  private func fill() {
    let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 1000)
    while write(program, bytes, bytes.count) > 0 {}
    while write(program, bytes, 1) > 0 {}
  }

  /// What is shown, up to a text.
  private static func shown(_ terminal: PseudoTerminal, until end: String) -> String {
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !output.suffix(end.utf8.count).elementsEqual(end.utf8) {
      var ready = pollfd(fd: terminal.descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&ready, 1, 30_000) > 0 else { break }
      let count = read(terminal.descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      output += buffer[..<count]
    }
    return String(decoding: output, as: UTF8.self)
  }

  private func writeLast(_ text: String) {
    var text = text
    text.withUTF8 { TerminalWriter.writeLast(UnsafeRawBufferPointer($0), to: program) }
  }

  @Test func `what restores a terminal is written also if nobody reads before it`() {
    defer { close(program) }
    fill()
    writeLast("restored")
    #expect(Self.shown(terminal, until: "restored").hasSuffix("restored"))
  }

  @Test func `a terminal that is slow gets all bytes in order`() {
    defer { close(program) }
    fill()
    var text = (0..<20_000).map { "\($0)\n" }.joined()
    let output = Mutex("")
    let ended = DispatchSemaphore(value: 0)
    // A thread of its own: those of the tests may all be busy.
    Thread.detachNewThread { [terminal] in
      usleep(50_000)
      let shown = Self.shown(terminal, until: "19999\n")
      output.withLock { $0 = shown }
      ended.signal()
    }
    let end = text.withUTF8 {
      TerminalWriter.write(UnsafeRawBufferPointer($0), to: program, timeout: 60_000)
    }
    #expect(end == .complete)
    ended.wait()
    #expect(output.withLock { $0.drop { $0 == "x" } } == text)
  }

  @Test func `a terminal that is gone is not waited for`() throws {
    let other: Int32
    do {
      let gone = try PseudoTerminal()
      other = gone.open(O_RDWR | O_NONBLOCK)
    }
    defer {
      close(other)
      close(program)
    }
    let bytes = Array("text".utf8)
    let end = bytes.withUnsafeBytes { TerminalWriter.write($0, to: other, timeout: 60_000) }
    #expect(end == .failed)
  }

  @Test func `the attributes of one terminal are not those of another`() throws {
    defer { close(program) }
    let input = try PseudoTerminal()
    let keyboard = input.open()
    defer { close(keyboard) }
    let restoration = try #require(TerminalRestoration(keyboard))
    var raw = restoration.raw
    tcsetattr(keyboard, TCSANOW, &raw)
    restoration.restore(input: keyboard, output: program, leavesScreen: true)
    #expect(input.attributes.c_lflag & tcflag_t(ECHO) != 0)
    #expect(terminal.attributes.c_lflag & tcflag_t(ECHO) == 0)
    #expect(
      Self.shown(terminal, until: TerminalRestoration.leave) == TerminalRestoration.leave)
  }
}

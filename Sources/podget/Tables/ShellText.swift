/// Words for a shell.
enum ShellText {
  /// The word unchanged if a shell does not change it, otherwise in single quotes.
  static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      switch byte {
      case 0x61...0x7A, 0x41...0x5A, 0x30...0x39: true
      default: "/._-+,:@%".utf8.contains(byte)
      }
    }
    if isPlain, !word.isEmpty { return word }
    return "'\(word.replacing("'", with: "'\\''"))'"
  }
}

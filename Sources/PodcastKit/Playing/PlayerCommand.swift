/// The program that plays episodes, with its arguments.
package struct PlayerCommand: Sendable, Hashable {
  /// What stands for the path of the file.
  package static let pathName = "{path}"

  /// Its words; the path is not in them yet.
  private let words: [String]
  /// Whether a person has named it.
  package let isNamed: Bool

  /// Reads a command; nil is mpv.
  ///
  /// - Parameter text: words as of ``PasswordCommand/words(_:)``. ``pathName`` stands for the path of the
  ///   file, which comes last if nothing does.
  package init(_ text: String? = nil) {
    let words = text.map(PasswordCommand.words) ?? []
    isNamed = !words.isEmpty
    self.words = words.isEmpty ? ["mpv"] : words
  }

  /// The name of the program, without its folder.
  package var name: String {
    words[0].split(separator: "/").last.map(String.init) ?? words[0]
  }

  /// Whether it can be controlled, as mpv can.
  package var isControlled: Bool { name == "mpv" }

  /// The words that play a file.
  ///
  /// - Parameters:
  ///   - path: the absolute path of the file.
  ///   - start: where playing begins; only mpv is told.
  ///   - speed: how fast it plays; only mpv is told.
  ///   - isConnected: whether mpv is controlled by its standard input.
  func words(
    playing path: String, from start: Duration?, speed: Double, isConnected: Bool = true
  ) -> [String] {
    guard isControlled else {
      guard words.dropFirst().contains(where: { $0.contains(Self.pathName) }) else {
        return words + [path]
      }
      return words.prefix(1) + words.dropFirst().map { $0.replacing(Self.pathName, with: path) }
    }
    var all = [words[0], "--no-terminal", "--no-video"]
    // Options come before the file.
    all += words.dropFirst().filter { $0 != Self.pathName && $0 != "--" }
      .map { $0.replacing(Self.pathName, with: path) }
    // It ends with the episode, and the library says where it begins. A file that is a list of others is
    // none of an episode: it could name any file and any server.
    all += [
      "--access-references=no", "--idle=no", "--keep-open=no", "--loop-file=no",
      "--loop-playlist=no", "--no-resume-playback", "--speed=\(speed)",
    ]
    if isConnected { all.append(PlayerConnection.option) }
    if let start { all.append("--start=\(start.components.seconds)") }
    return all + ["--", path]
  }
}

@testable import PodcastModel
@testable import PodcastTransfer

/// The content of `~/.netrc`.
enum NetrcFuzzing {
  static func run(_ input: inout FuzzInput) throws {
    let user = input.bytes(1 + input.choice(12)).filter { $0 != 0 && $0 != UInt8(ascii: "\n") }
    let password = input.bytes(input.choice(12)).filter { $0 != 0 && $0 != UInt8(ascii: "\n") }
    let text = input.remaining()
    guard let unnamed = WebAddress("https://unnamed.example/"),
      let named = WebAddress("https://named.example:8443/"),
      let otherPort = WebAddress("https://named.example/")
    else { return }
    let file = NetrcFile(text)
    let mentions = String(decoding: text, as: UTF8.self).lowercased().contains("unnamed.example")
    try FuzzFailure.require(
      mentions || file.login(for: unnamed, allowsDefault: false) == nil,
      "A host without an entry gets a password.")
    guard !user.isEmpty else { return }
    // Before anything else, also before text that cannot be read.
    let entry =
      "machine named.example:8443 login ".utf8 + quoted(user) + " password ".utf8
      + quoted(password) + "\n\n".utf8
    let both = NetrcFile(entry + text)
    try FuzzFailure.require(
      both.login(for: named, allowsDefault: false)
        == NetrcFile.Login(user: user, password: password), "What was written is read otherwise.")
    try FuzzFailure.require(
      both.login(for: otherPort, allowsDefault: false)
        == file.login(for: otherPort, allowsDefault: false), "Another port gets the password.")
  }

  private static func quoted(_ bytes: [UInt8]) -> [UInt8] {
    let marks: [UInt8] = [UInt8(ascii: "\""), UInt8(ascii: "\\")]
    return [marks[0]] + bytes.flatMap { marks.contains($0) ? [marks[1], $0] : [$0] } + [marks[0]]
  }
}

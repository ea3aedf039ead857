import Testing

@testable import PodcastKit

@Suite("Password commands") struct PasswordCommandTests {
  @Test(
    "words are separated as a person expects",
    arguments: [
      ("pass show a", ["pass", "show", "a"]), ("  a   b ", ["a", "b"]), ("", []), ("''", [""]),
      ("'a b' \"c d\"e", ["a b", "c de"]), ("a'b'c", ["abc"]), ("'$(x)' ;", ["$(x)", ";"]),
      ("'open", ["open"]),
    ]) func words(command: String, words: [String])
  {
    #expect(PasswordCommand.words(command) == words)
  }
}

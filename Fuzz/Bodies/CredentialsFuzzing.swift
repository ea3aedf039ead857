@testable import PodcastModel
@testable import PodcastTransfer

/// User names and passwords in addresses, and where those of `~/.netrc` may go.
enum CredentialsFuzzing {
  private static let secret = "S3CR3T"

  static func run(_ input: inout FuzzInput) throws {
    let scheme = ["https://", "http://", "feed:", "pcast://", "https%3A%2F%2F"][input.choice(5)]
    let other = String(decoding: input.bytes(input.choice(24)), as: UTF8.self)
    let hasUser = input.flag()
    let text = String(decoding: input.remaining(), as: UTF8.self)

    try redaction(scheme, other, text, hasUser: hasUser)
    try origins(text, other)
  }

  /// Any password that an address can contain, and anything that follows it.
  private static func redaction(
    _ scheme: String, _ other: String, _ text: String, hasUser: Bool
  ) throws {
    let ends = "/?#\"<>[]\\%"
    let password = String(
      other.unicodeScalars.filter {
        $0.value > 0x20 && $0.value != 0x7F && !ends.unicodeScalars.contains($0)
      })
    let at = scheme.hasPrefix("https%") ? "%40" : "@"
    let credentials = hasUser ? "\(secret):\(password)" : "\(password):\(secret)"
    let path = String(text.unicodeScalars.filter { $0.value > 0x20 && $0.value != 0x7F })
    let address = "\(scheme)\(credentials)\(at)host.example/\(path)"
    for cleaned in [
      AddressRedaction.withoutCredentials(address), AddressRedaction.shown(address),
    ] {
      try FuzzFailure.require(!cleaned.contains(secret), "\(address) is shown as \(cleaned)")
    }
    // A sentence has no scheme-less addresses, and quotation marks end those that it has.
    guard scheme != "feed:" else { return }
    let sentence = "The link \(address) leads nowhere."
    for cleaned in [
      AddressRedaction.withoutCredentials(in: sentence), AddressRedaction.shown(in: sentence),
    ] {
      try FuzzFailure.require(!cleaned.contains(secret), "\(sentence) is shown as \(cleaned)")
    }
    try FuzzFailure.require(
      !PodgetError(.network, sentence).message.contains(secret), "A message holds \(sentence)")
  }

  private static func origins(_ text: String, _ named: String) throws {
    let origins = NamedOrigins([named])
    guard origins.allowPasswords(for: text), let address = WebAddress(text) else { return }
    let other = WebAddress(WebAddress.forRequest(named))
    try FuzzFailure.require(
      address.scheme == "https" || (other?.host == address.host && other?.scheme == address.scheme),
      "\(text) gets a password when \(named) is named.")
  }
}

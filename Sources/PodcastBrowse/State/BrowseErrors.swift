/// What went wrong, and stays until the end.
extension BrowseModel {
  /// How many errors are kept.
  private static let mostErrors = 200

  /// Whether the message says that something went wrong.
  package var isError: Bool { !message.isEmpty && message == errors.last }

  /// Says that something went wrong, and keeps it.
  mutating func complain(_ text: String) {
    message = text
    keepError(text)
  }

  /// Keeps what went wrong where a list says it.
  mutating func keepError(_ text: String) {
    guard !text.isEmpty else { return }
    // The same again is one.
    errors = errors.filter { $0 != text }.suffix(Self.mostErrors - 1) + [text]
  }

  mutating func showErrors() {
    guard !errors.isEmpty else {
      message = "Nothing went wrong so far."
      return
    }
    overlay = .errors(0)
  }
}

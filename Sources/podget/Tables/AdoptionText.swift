import PodcastKit

/// The results of `adopt`, as lines: a word, the file, and its new path or the reason why it has
/// none.
enum AdoptionText {
  /// The lines; files that the library already had are listed only with -v.
  static func text(_ adoptions: [Adoption], verbose: Bool) -> String {
    adoptions.reduce(into: "") { text, adoption in
      guard verbose || adoption.status != .known else { return }
      let file = TerminalText.safe(adoption.file)
      let word = TerminalText.padded(adoption.status.rawValue, to: 9)
      let rest =
        (adoption.path.map { " -> \(TerminalText.safe($0))" } ?? "")
        + (adoption.reason.map { ": \(TerminalText.safe($0))" } ?? "")
      text += "\(word)  \(file)\(rest)\n"
    }
  }

  /// The last sentence, such as `3 adopted, 1 unmatched.`
  static func summary(_ adoptions: [Adoption]) -> String {
    let counts = [Adoption.Status.adopted, .planned, .known, .unmatched].compactMap { status in
      let count = adoptions.count { $0.status == status }
      let word = status == .known ? "already in the library" : status.rawValue
      return count > 0 ? "\(count) \(word)" : nil
    }
    return counts.isEmpty
      ? "There is no media file to adopt." : counts.joined(separator: ", ") + "."
  }
}

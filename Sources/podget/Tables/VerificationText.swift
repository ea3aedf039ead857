import PodcastKit

/// Findings of a verification as lines: a word, the path, and what is wrong or unusual.
enum VerificationText {
  /// The line of a finding; nil if the verbosity hides it.
  static func line(_ finding: FileFinding, verbosity: Verbosity) -> StyledLine? {
    let (word, sentence, look) = words(finding)
    let isProblem = finding.status.isProblem
    let isReported =
      finding.isRepaired || finding.isAccepted
      || finding.status != .ok && !finding.onlyLacksChecksum
    guard isProblem || verbosity == .verbose || (isReported && verbosity > .quiet) else {
      return nil
    }
    var line = StyledLine(TerminalText.padded(word, to: 11), look)
    let path = TerminalText.safe(finding.path)
    line.append("  \(path)\(sentence.map { ": \(TerminalText.safe($0))" } ?? "")")
    return line
  }

  private static func words(
    _ finding: FileFinding
  ) -> (word: String, sentence: String?, look: StyledLine.Style) {
    if finding.isAccepted { return ("accepted", finding.problem, .green) }
    if finding.isRepaired { return ("repaired", finding.problem, .green) }
    let look: StyledLine.Style =
      switch finding.status {
      case .ok: .green
      case .warning, .changed: .yellow
      case .untracked, .partial: .dim
      case .damaged, .truncated, .missing, .unreadable: .red
      }
    return (finding.status.rawValue, finding.problem, look)
  }
}

/// The number of files of each status in a verification.
struct VerificationSummary: Sendable, Hashable {
  private var counts: [FileFinding.Status: Int] = [:]
  private var bytes: Int64 = 0
  private var repaired = 0
  /// How many problems no download repairs: of records and folders.
  private var unknown = 0

  /// Whether something is wrong and was not repaired.
  var hasProblems: Bool { problems > 0 }

  /// Counts a finding.
  mutating func count(_ finding: FileFinding) {
    counts[finding.status, default: 0] += 1
    if finding.status.isProblem, finding.plan == nil { unknown += 1 }
    guard finding.status != .untracked, finding.status != .partial else { return }
    bytes = ByteSum.of([bytes, finding.bytes])
  }

  /// Counts the result of a new download in place of the finding that the file was wrong.
  mutating func recount(_ finding: FileFinding, insteadOf old: FileFinding.Status) {
    if let count = counts[old] { counts[old] = count > 1 ? count - 1 : nil }
    if finding.isRepaired {
      repaired += 1
    } else {
      counts[finding.status, default: 0] += 1
    }
  }

  /// The words beside the bar during the verification.
  func progress(of files: Int) -> String {
    let words = "\(checked)/\(files) checked"
    return problems > 0 ? "\(words), \(problems) wrong" : words
  }

  /// The last line, such as `200 files checked (1.2 GiB): 197 ok, 1 missing, 2 repaired`
  func sentence(isInterrupted: Bool) -> String {
    let order: [FileFinding.Status] = [
      .ok, .warning, .changed, .damaged, .truncated, .missing, .unreadable,
    ]
    var parts = order.compactMap(part)
    if repaired > 0 { parts.append("\(repaired) repaired") }
    parts += [FileFinding.Status.untracked, .partial].compactMap(part)
    let files = checked == 1 ? "1 file" : "\(checked) files"
    var sentence = "\(files) checked (\(ByteText.size(bytes)))"
    if !parts.isEmpty { sentence += ": " + parts.joined(separator: ", ") }
    if isInterrupted { sentence += "; interrupted, the rest is not checked" }
    if problems > unknown, repaired == 0 { sentence += " (podget verify --repair downloads again)" }
    if problems == 0, counts[.changed] != nil {
      sentence += " (podget verify --accept records what has changed)"
    }
    return sentence
  }
}

extension VerificationSummary {
  private var problems: Int {
    counts.reduce(0) { $1.key.isProblem ? $0 + $1.value : $0 }
  }

  private var checked: Int {
    counts.reduce(repaired) { $1.key == .untracked || $1.key == .partial ? $0 : $0 + $1.value }
  }

  private func part(_ status: FileFinding.Status) -> String? {
    counts[status].map { "\($0) \(status == .warning && $0 > 1 ? "warnings" : status.rawValue)" }
  }
}

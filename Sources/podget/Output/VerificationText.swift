import PodcastKit

/// Findings of a verification as lines: a word, the path, and what is wrong or odd.
enum VerificationText {
  /// The line of a finding; nil where the verbosity asks for none.
  static func line(_ finding: FileFinding, verbosity: Verbosity) -> StyledLine? {
    let (word, sentence, look) = words(finding)
    let isProblem = finding.status.isProblem
    let isTold = finding.isRepaired || finding.warning != nil || isOther(finding)
    guard isProblem || verbosity == .verbose || (isTold && verbosity > .quiet) else { return nil }
    var line = StyledLine(TerminalText.padded(word, to: 11), look)
    let path = TerminalText.safe(finding.path)
    line.append("  \(path)\(sentence.map { ": \(TerminalText.safe($0))" } ?? "")")
    return line
  }

  private static func isOther(_ finding: FileFinding) -> Bool {
    finding.status == .foreign || finding.status == .unfinished
  }

  private static func words(
    _ finding: FileFinding
  ) -> (word: String, sentence: String?, look: StyledLine.Look) {
    if finding.isRepaired { return ("repaired", finding.warning, .green) }
    let status = finding.status
    if status.isProblem { return (status.rawValue, finding.problem, .red) }
    if let warning = finding.warning { return ("odd", warning, .yellow) }
    return (status.rawValue, nil, status == .ok ? .green : .dim)
  }
}

/// How many files of each sort a verification met.
struct VerificationSummary: Sendable, Hashable {
  private var counts: [FileFinding.Status: Int] = [:]
  private var bytes: Int64 = 0
  private var repaired = 0

  /// Whether something is wrong and was not repaired.
  var hasProblems: Bool { problems > repaired }

  /// Counts a finding.
  mutating func count(_ finding: FileFinding) {
    counts[finding.status, default: 0] += 1
    guard finding.status != .foreign, finding.status != .unfinished else { return }
    bytes = ByteSum.of([bytes, finding.bytes])
  }

  /// Counts what came of fetching again a file that was counted as wrong.
  mutating func recount(_ finding: FileFinding) {
    if finding.isRepaired { repaired += 1 }
  }

  /// The words beside the bar while it goes on.
  func progress(of files: Int) -> String {
    let words = "\(checked)/\(files) checked"
    return problems > 0 ? "\(words), \(problems) wrong" : words
  }

  /// The last line, such as `200 files checked (1.2 GiB): 198 ok, 2 damaged, 2 repaired.`
  func sentence(isInterrupted: Bool) -> String {
    let order: [FileFinding.Status] = [
      .ok, .unchecked, .damaged, .truncated, .missing, .unreadable,
    ]
    var parts = order.compactMap(part)
    if repaired > 0 { parts.append("\(repaired) repaired") }
    parts += [FileFinding.Status.foreign, .unfinished].compactMap(part)
    let files = checked == 1 ? "1 file" : "\(checked) files"
    var sentence = "\(files) checked (\(ByteText.size(bytes)))"
    if !parts.isEmpty { sentence += ": " + parts.joined(separator: ", ") }
    if isInterrupted { sentence += "; interrupted, the rest is not checked" }
    if hasProblems, repaired == 0 { sentence += " (podget verify --repair fetches again)" }
    return sentence
  }
}

extension VerificationSummary {
  private var problems: Int {
    counts.reduce(0) { $1.key.isProblem ? $0 + $1.value : $0 }
  }

  private var checked: Int {
    counts.reduce(0) { $1.key == .foreign || $1.key == .unfinished ? $0 : $0 + $1.value }
  }

  private func part(_ status: FileFinding.Status) -> String? {
    counts[status].map { "\($0) \(status == .unchecked ? "without checksum" : status.rawValue)" }
  }
}

extension JSONValue {
  /// An element of `verify`: a file of the library.
  init(_ finding: FileFinding) {
    let episode = finding.plan?.episode
    self = [
      "path": .string(finding.path), "podcast": JSONValue(finding.podcast),
      "episode": episode.map { JSONValue($0) } ?? .null,
      "status": .string(finding.status.rawValue), "problem": .string(finding.problem),
      "warning": .string(finding.warning), "bytes": .integer(finding.bytes),
      "sha256": .string(finding.sha256), "duration": .seconds(finding.duration),
      "publishedDuration": .seconds(episode?.duration), "repaired": .bool(finding.isRepaired),
    ]
  }
}

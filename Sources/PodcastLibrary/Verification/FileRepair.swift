public import PodcastModel

/// Downloads files again that a verification found wrong, and checks them once more.
public struct FileRepair: Sendable {
  private let library: Library

  /// Creates a repair of files of a library.
  public init(library: Library) { self.library = library }

  /// Repairs files. What is replaced goes to the trash when the new file is complete.
  ///
  /// - Parameters:
  ///   - broken: the findings about the files.
  ///   - download: downloads the episodes of the files again, although they are recorded as complete,
  ///     and says whether that was possible for all.
  ///   - checked: receives the new finding about each file that is on record, with its old status.
  /// - Returns: the findings as they are now, in the same order.
  public func repair(
    _ broken: [FileFinding], download: ([DownloadPlan]) async -> Bool,
    checked: (FileFinding, _ insteadOf: FileFinding.Status) async -> Void
  ) async -> [FileFinding] {
    let verifier = LibraryVerifier(library: library, progress: VerificationProgress())
    let before = broken.map { $0.plan.flatMap(verifier.current) }
    let trash = Set(library.trashedFiles)
    let isDone = await download(broken.compactMap(\.plan))
    let replaced = Dictionary(
      library.trashedFiles.filter { !trash.contains($0) }.map { ($0.key, $0) },
      uniquingKeysWith: { $1 })
    var findings: [FileFinding] = []
    for (old, record) in zip(broken, before) {
      guard let file = old.plan.flatMap(verifier.current) else {
        findings.append(old)
        continue
      }
      var result = old
      await verifier.verify([file], jobs: 1) { result = $0 }
      if !result.status.isProblem {
        result.isRepaired = true
        if let first = record?.sha256, let now = result.sha256, first != now {
          if record?.receivedSHA256?.lowercased() == now {
            result.problem = "It is the file as it was received, without the tags of podget tag."
          } else if let received = record?.receivedSHA256?.lowercased(),
            received == file.receivedSHA256?.lowercased()
          {
            result.problem =
              "It is the file as it was received, with the tags that podget writes now."
          } else {
            result.status = .warning
            result.problem = "The server has another version now than the one on record."
          }
        }
        if let old = replaced[file.plan.episodeKey] {
          let sentence = "The old file is \(old.path) until \(CivilDay(old.keptUntil))."
          result.problem = [result.problem, sentence].compactMap(\.self).joined(separator: " ")
        }
      } else if isDone, result.status == .truncated, let problem = result.problem {
        result.problem = "\(problem) The server sends it so."
      }
      await checked(result, old.status)
      findings.append(result)
    }
    return findings
  }
}

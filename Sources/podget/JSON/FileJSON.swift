import PodcastKit

extension JSONValue {
  /// An element of `verify`: a file of the library.
  init(_ finding: FileFinding) {
    let episode = finding.plan?.episode
    self = [
      "path": .string(finding.path), "podcast": JSONValue(finding.podcast),
      "episode": episode.map { JSONValue($0) } ?? .null,
      "status": .string(finding.status.rawValue), "problem": .string(finding.problem),
      "bytes": .integer(finding.bytes),
      "sha256": .string(finding.sha256), "duration": .seconds(finding.duration),
      "publishedDuration": .seconds(episode?.duration), "repaired": .bool(finding.isRepaired),
    ]
  }

  /// An element of `adopt`: a file that was found.
  init(_ adoption: AdoptedFile) {
    self = [
      "file": .string(adoption.file), "path": .string(adoption.path),
      "podcast": adoption.plan.map { JSONValue($0.podcast) } ?? .null,
      "episode": adoption.plan.map { JSONValue($0.episode) } ?? .null,
      "status": .string(adoption.status.rawValue), "reason": .string(adoption.obstacle?.sentence),
      "bytes": .integer(adoption.bytes), "sha256": .string(adoption.sha256),
    ]
  }

  /// An element of `rename`.
  init(_ file: RenamedFile, of local: LocalEpisode) {
    let status: String
    var error = JSONValue.null
    switch file.outcome {
    case .planned: status = "planned"
    case .moved: status = "moved"
    case .failed(let failure):
      status = "failed"
      error = JSONValue(failure)
    }
    self = [
      "podcast": JSONValue(local.podcast), "episode": JSONValue(local.episode),
      "from": .string(file.move.from.text), "to": .string(file.move.to.text),
      "status": .string(status),
      "error": error,
    ]
  }
}

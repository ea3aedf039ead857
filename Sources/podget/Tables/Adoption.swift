import PodcastKit

/// The result for one file of another tool.
struct Adoption: Sendable {
  /// The outcomes; the raw values are the contract with scripts.
  enum Status: String, Sendable {
    case adopted, planned, known, unmatched
  }

  /// The file's path, below the folder as it was named.
  var file: String
  var status = Status.unmatched
  /// The episode's plan, when it is certain.
  var plan: DownloadPlan?
  /// The path below the library.
  var path: String?
  /// Why it was not adopted, in a sentence.
  var reason: String?
  var bytes: Int64?
  var sha256: String?
}

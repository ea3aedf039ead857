package import FoundationEssentials
public import PodcastModel

/// A download that was planned and is not finished.
public struct UnfinishedDownload: Sendable {
  /// The plan.
  public var plan: DownloadPlan
  /// The permanent failure; nil when it was interrupted, cancelled or never begun.
  public var failure: PodgetError.Code?
  /// When it failed in that way; nil if that was not recorded.
  package var failedAt: Date?
  /// When it failed in such a way for the first time in a row; nil if that was not recorded.
  package var failingSince: Date?
  /// What the last accepted answer said.
  package var state: ResumeState?
}

extension UnfinishedDownload {
  /// Reads a record.
  init(_ record: PartialRecord) {
    self.init(
      plan: record.plan, failure: record.lacksLogin ? nil : record.failure,
      failedAt: record.failedAt.flatMap { Date(timestamp: $0) },
      failingSince: record.failingSince.flatMap { Date(timestamp: $0) }, state: record.state)
  }
}

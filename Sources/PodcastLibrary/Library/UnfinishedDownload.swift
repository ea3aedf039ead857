public import PodcastModel

/// A download that was planned and is not finished.
public struct UnfinishedDownload: Sendable {
  /// The plan.
  public var plan: DownloadPlan
  /// The permanent failure; nil when it was interrupted, cancelled or never begun.
  public var failure: PodgetError.Code?
  /// What the last accepted answer said.
  package var state: ResumeState?
}

extension UnfinishedDownload {
  /// Reads a record.
  init(_ record: PartialRecord) {
    self.init(plan: record.plan, failure: record.failure, state: record.state)
  }
}

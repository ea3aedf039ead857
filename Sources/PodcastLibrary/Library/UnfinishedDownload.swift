public import PodcastModel

/// A download that was planned and is not finished.
public struct UnfinishedDownload: Sendable {
  /// What was planned.
  public var plan: DownloadPlan
  /// Why it failed for good; nil when it was cut, cancelled or never begun.
  public var failure: PodgetError.Code?
  /// What the last accepted answer said.
  package var state: ResumeState?
}

extension UnfinishedDownload {
  /// What a record says.
  init(_ record: PartialRecord) {
    self.init(plan: record.plan, failure: record.failure, state: record.state)
  }
}

import FoundationEssentials
package import PodcastLibrary
public import PodcastModel

extension LocalEpisode {
  /// Whether a download may be unnecessary because of this episode.
  public var mayBeSkipped: Bool { status == .complete || status == .removed }

  /// Why a plan for this episode is skipped; nil when it is downloaded.
  ///
  /// A removed episode is downloaded again only if the plan names it, or by force.
  public func skipReason(for plan: DownloadPlan, isForced: Bool) -> SkipReason? {
    skipReason(for: plan, isForced: isForced, partial: nil)
  }

  /// The same, if a download that was started on purpose may be unfinished.
  func skipReason(
    for plan: DownloadPlan, isForced: Bool, partial: PartialRecord?
  ) -> SkipReason? {
    if isForced { return nil }
    switch status {
    case .complete: return partial?.replaces == nil ? .alreadyDownloaded : nil
    case .removed:
      return plan.isNamed || isOverridden(by: partial) ? nil : .removed
    case .partial, .planned, .missing: return nil
    }
  }
}

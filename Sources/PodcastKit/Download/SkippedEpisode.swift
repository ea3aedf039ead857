import FoundationEssentials
package import PodcastLibrary
public import PodcastModel

extension LocalEpisode {
  /// Whether a download may have nothing to do because of it.
  public var mayBeSkipped: Bool { status == .complete || status == .removed }

  /// Why nothing is fetched for a plan that means this episode; nil when it is fetched.
  ///
  /// What was removed is fetched again only where the plan names it, or by force.
  public func skipReason(for plan: DownloadPlan, isForced: Bool) -> SkipReason? {
    skipReason(for: plan, isForced: isForced, partial: nil)
  }

  /// The same, where a download that was begun on purpose may have been left unfinished.
  func skipReason(
    for plan: DownloadPlan, isForced: Bool, partial: PartialRecord?
  ) -> SkipReason? {
    if isForced { return nil }
    switch status {
    case .complete: return partial?.replaces == nil ? .alreadyDownloaded : nil
    case .removed:
      return plan.isNamed || isOverridden(by: partial) ? nil : .removed
    case .partial, .missing: return nil
    }
  }
}

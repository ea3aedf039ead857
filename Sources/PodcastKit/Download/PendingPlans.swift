import PodcastModel

/// The plans of a run that have not begun, by host: hosts take turns in the order of their first
/// plans, and each has its plans in order.
struct PendingPlans {
  /// The hosts that have plans, in order.
  private(set) var hosts: [String] = []
  private var plans: [String: ArraySlice<DownloadPlan>] = [:]

  var isEmpty: Bool { hosts.isEmpty }

  /// All plans, host by host.
  var all: [DownloadPlan] { hosts.flatMap { self[$0] } }

  /// The plans of a host.
  subscript(host: String) -> ArraySlice<DownloadPlan> { plans[host] ?? [] }

  mutating func add(_ new: [DownloadPlan]) {
    for plan in new {
      let host = plan.origin
      if plans[host] == nil { hosts.append(host) }
      plans[host, default: []].append(plan)
    }
  }

  /// Takes the first plan of a host; nil if it has none.
  mutating func takeFirst(of host: String) -> DownloadPlan? {
    let plan = plans[host]?.popFirst()
    dropEmpty(host)
    return plan
  }

  /// Takes the plans of some episodes, as far as they are here.
  mutating func take(_ keys: Set<String>) -> [DownloadPlan] {
    var taken: [DownloadPlan] = []
    for host in hosts {
      let own = plans[host]?.filter { keys.contains($0.key) } ?? []
      guard !own.isEmpty else { continue }
      plans[host]?.removeAll { keys.contains($0.key) }
      dropEmpty(host)
      taken += own
    }
    return taken
  }

  private mutating func dropEmpty(_ host: String) {
    guard plans[host]?.isEmpty == true else { return }
    plans[host] = nil
    hosts.removeAll { $0 == host }
  }
}

extension DownloadPlan {
  /// The host in the episode's address, as limits count it.
  var origin: String {
    let url = WebAddress.forRequest(episode.enclosure.url)
    return WebAddress(url)?.origin ?? url
  }
}

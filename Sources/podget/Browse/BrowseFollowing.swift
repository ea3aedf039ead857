import BrowseScreen
import FoundationEssentials
import PodcastBrowse
import PodcastKit

/// What is followed, changed from the screen.
extension BrowseEngine {
  /// When a feed was checked and will be, what is wrong with it, and its settings.
  static func about(_ podcast: FollowedPodcast) -> String {
    func time(_ date: Date) -> String {
      String(date.timestamp.prefix(16)).replacing("T", with: " ")
    }
    var words: [String] = []
    words.append(podcast.lastChecked.map { "Checked \(time($0)) (UTC)" } ?? "Not checked yet")
    if let next = podcast.nextCheck { words.append("the next check of a watch \(time(next))") }
    if let new = podcast.lastNew { words.append("last new \(time(new))") }
    var text = words.joined(separator: ", ") + "."
    if let error = podcast.lastError { text += " \(error.message)" }
    return text
  }

  func loadSubscriptions() async {
    let library = library
    let followed = await disk.perform {
      Result { () throws(PodgetError) in try FollowedPodcast.all(in: library) }
    }
    switch followed {
    case .failure(let error): send(.subscriptionsFailed(error.said))
    case .success(let followed):
      send(
        .subscriptions(
          followed.map { podcast in
            PodcastRow(
              source: podcast.subscription.name, title: podcast.subscription.title,
              note: podcast.status == .active ? "" : podcast.status.rawValue,
              about: Self.about(podcast), isFollowed: true)
          }))
    }
  }

  func subscribe(_ source: String) async throws(PodgetError) {
    let subscriber = Subscriber(
      library, resolver: resolver(details: .none, filter: EpisodeFilter(limit: 0)))
    let changes = try await subscriber.subscribe(
      [source], settings: SubscriptionSettings(), name: nil)
    for change in changes {
      if let error = change.error { throw error }
      follows += 1
      send(.followed(source))
      let next = "\(keyMap.name("y")) reads its feed, and downloads what is new."
      send(.message("Subscribed to \(change.subscription?.title ?? "it"); \(next)"))
    }
  }

  func unsubscribe(_ source: String) async throws(PodgetError) {
    guard let subscription = await followed(source)?.subscription else {
      throw PodgetError(.notFound, "It is not followed.")
    }
    let library = library
    let result = await disk.perform {
      Result { () throws(PodgetError) in
        try Subscriber.unsubscribe([subscription.name], from: library)
      }
    }
    for change in try result.get() { if let error = change.error { throw error } }
    follows += 1
    unfollowed[source] = subscription
    send(.followed(source, false))
    send(
      .message(
        "\(subscription.title) is no longer followed; its files stay. \(keyMap.name("u")) takes that "
          + "back."))
  }

  func followAgain(_ source: String) async throws(PodgetError) {
    guard let subscription = unfollowed[source] else {
      throw PodgetError(.notFound, "It is still followed.")
    }
    let library = library
    let result = await disk.perform {
      Result { () throws(PodgetError) in try Subscriber.followAgain(subscription, in: library) }
    }
    try result.get()
    unfollowed[source] = nil
    follows += 1
    send(.followed(source))
    send(.message("\(subscription.title) is followed again, with its settings."))
  }

  /// Checks feeds as `podget sync` does, by that command: what it changes is seen as what any other
  /// podget changes.
  func sync(_ source: String?) async throws(PodgetError) {
    guard check == nil else {
      return send(
        .message(
          isCheckStopped
            ? "The check is being stopped." : "A check is running; \(keyMap.name("C")) stops it."))
    }
    let child = ChildProgram(place: .unseen)
    (check, isCheckStopped) = (child, false)
    let showing = Task { await showGrowth() }
    defer {
      check = nil
      showing.cancel()
    }
    var words = [InstalledProgram.running, "sync", "--quiet"] + syncOptions
    if let source {
      guard let name = await followed(source)?.subscription.name else {
        throw PodgetError(.notFound, "It is not followed.")
      }
      words.append(name)
    }
    let program = words
    let result = await BlockingWork.run(whenCancelled: { child.cancel() }) {
      Result { () throws(ProgramStart.Failure) in try child.run(program) {}.status }
    }
    guard !isCheckStopped else {
      return send(.message("The check is stopped; what arrived is kept."))
    }
    let isDone = if case .success(0)? = result { true } else { false }
    let what = source == nil ? "The feeds are checked" : "The feed is checked"
    send(
      isDone
        ? .message("\(what), and new episodes are downloaded.")
        : .error("\(what), and something failed; podget status says what."))
  }

  /// Stops the check that runs.
  ///
  /// - Parameter sentence: what is said if none does; empty for nothing.
  func stopSync(_ sentence: String) {
    guard let check else {
      if !sentence.isEmpty { send(.message(sentence)) }
      return
    }
    isCheckStopped = true
    check.cancel()
  }

  /// Shows how far the downloads of the check are, until it ends. A file that grows is no change that is
  /// noticed.
  private func showGrowth() async {
    var shown: [String: Int64] = [:]
    while (try? await Task.sleep(for: .seconds(1))) != nil {
      let library = library
      let now = await disk.perform { library.partialBytes(writtenWithin: 5) }
      let grown = now.filter { shown[$0.key] != $0.value && states[$0.key]?.isActive != true }
      if !grown.isEmpty { send(.grown(grown)) }
      shown = now
    }
  }

  /// What the screen was started with, as options of `podget sync`. Those that subscriptions have too
  /// are left out, unless they replace these.
  private var syncOptions: [String] {
    var options = [
      "--library", library.path, "--jobs", "\(settings.jobs)",
      "--jobs-per-host", "\(settings.jobsPerHost)", "--retries", "\(settings.retries)",
    ]
    if settings.bytesPerSecond > 0 { options += ["--limit-rate", "\(settings.bytesPerSecond)"] }
    if let file = settings.certificates { options += ["--cacert", file] }
    if replaced.contains(.userAgent) { options += ["--user-agent", settings.userAgent] }
    if settings.allowsInsecureRedirects { options.append("--allow-insecure-redirects") }
    return options
  }
}

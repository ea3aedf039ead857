package import PodcastModel
import Synchronization

/// The settings of subscriptions that count wherever their podcast is asked for: their `User-Agent`,
/// for feeds, episodes and artwork with all redirects of these, which file of an episode they prefer,
/// how files are named, what is stored beside them, how many bytes a sync may bring, and whether files get
/// tags.
package final class SubscribedSettings: Sendable {
  /// The settings of all subscriptions that count if an option has no other value.
  package static let all: Set<SubscriptionSettings.Name> = [
    .userAgent, .prefer, .template, .folder, .maxBytes, .with, .tag,
  ]

  /// Those for what a person asks for, which is not one of the bytes of a sync.
  package static let asked = all.subtracting([.maxBytes])

  /// What one subscription has.
  package struct Own: Sendable {
    /// Nil for the usual one.
    package var userAgent: String?
    /// Nil for what is preferred elsewhere.
    package var preference: MediaPreference?
    /// What is stored beside its episodes; nil for what is stored beside others.
    package var belongings: Belongings?
    /// How its files are named; nil for how others are.
    var template: FilenameTemplate?
    /// The folder of its files, in place of its title; nil for none of its own.
    var folder: String?
    /// The most bytes of a run, with the address first subscribed; nil for no limit of its own.
    package var mostBytes: (podcast: String, most: Int64)?
    /// Whether its files get missing tags; nil for what others do.
    var writesTags: Bool?
    /// Whether its address is likely a secret, whatever settings count.
    package var isPrivate = false

    /// Whether it has any.
    fileprivate var isSet: Bool {
      userAgent != nil || preference != nil || template != nil || folder != nil || mostBytes != nil
        || belongings != nil || writesTags != nil || isPrivate
    }

    /// How its files are named.
    ///
    /// - Parameter usual: how others are named.
    func template(or usual: FilenameTemplate) -> FilenameTemplate {
      let template = template ?? usual
      return folder.map(template.replacingPodcast) ?? template
    }
  }

  private struct Known {
    var places = SubscriptionPlaces()
    var own: [Own] = []
    /// What counts for other podcasts.
    var others = Own()
  }

  private let known = Mutex(Known())

  /// Whether what feeds say of episodes besides is needed for a podcast.
  var needDetails: Bool {
    known.withLock {
      $0.own.contains { $0.belongings?.needDetails == true || $0.writesTags == true }
    }
  }

  /// No subscription has one.
  package init() {}

  /// Those of the subscriptions of a library; none if they cannot be read, and then any podcast may be
  /// private. It blocks on the disk.
  ///
  /// - Parameter names: the settings that count.
  package convenience init(
    of library: Library?, counting names: Set<SubscriptionSettings.Name> = all
  ) {
    self.init()
    guard let library else { return }
    if let list = try? SubscriptionFile(library).read() {
      use(list.subscriptions, counting: names)
    } else {
      hideOthers()
    }
  }

  /// Takes other podcasts for private ones from now on: the subscriptions cannot be read.
  package func hideOthers() { known.withLock { $0.others.isPrivate = true } }

  /// Has those of other subscriptions from now on.
  ///
  /// - Parameter names: the settings that count.
  package func use(
    _ subscriptions: [Subscription], counting names: Set<SubscriptionSettings.Name> = all
  ) {
    var new = Known()
    let own = subscriptions.map { subscription in
      func text(_ name: SubscriptionSettings.Name) -> String? {
        names.contains(name) ? subscription.settings[name] : nil
      }
      return Own(
        userAgent: text(.userAgent), preference: text(.prefer).flatMap(MediaPreference.init),
        belongings: text(.with).flatMap { try? Belongings(option: $0) },
        template: text(.template).flatMap { try? FilenameTemplate(parsing: $0) },
        folder: text(.folder).flatMap { $0.isEmpty ? nil : $0 },
        mostBytes: text(.maxBytes).flatMap { try? ByteSize(option: $0) }.map {
          (subscription.firstURL, $0.bytes)
        }, writesTags: text(.tag).flatMap { Bool($0) },
        isPrivate: Account.isPrivate(subscription))
    }
    if own.contains(where: \.isSet) {
      new = Known(places: SubscriptionPlaces(subscriptions), own: own)
    }
    known.withLock { $0 = new }
  }

  /// Whether the files of a podcast get missing tags.
  ///
  /// - Parameter usual: what those of others do.
  func writesTags(_ podcast: Podcast, or usual: Bool) -> Bool {
    own(of: podcast).writesTags ?? usual
  }

  /// Those for what belongs to a podcast.
  package func own(of podcast: Podcast) -> Own {
    known.withLock { known in
      known.places.likelyPlace(of: podcast).map { known.own[$0] } ?? known.others
    }
  }

  /// Those for a feed.
  package func own(ofFeed url: FeedURL) -> Own {
    known.withLock { known in
      known.places.place(feed: url).map { known.own[$0] } ?? known.others
    }
  }
}

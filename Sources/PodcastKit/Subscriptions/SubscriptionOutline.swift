import PodcastFeeds
import PodcastModel

/// A subscription as an outline of OPML has it: the attributes of OPML 2.0, and podget's own.
enum SubscriptionOutline {
  private static let namespace = OPMLDocument.namespace
  /// A file may name any number of them, and they become folders in folders.
  private static let mostCategories = 20
  private static let mostFolders = 10
  private static let mostEarlier = 100

  /// The folders of a slash path, as many as are used.
  static func folders(_ category: String) -> [String] {
    category.split(separator: "/", maxSplits: mostFolders).prefix(mostFolders).map { String($0) }
  }

  /// What is wrong with an outline, and where.
  struct Fault: Error {
    var sentence: String
    var position: OPMLPosition
  }

  /// The names of podget's own attributes.
  private static let names =
    ["name", "id", "guid", "first", "earlier", loginOrigin, via, removed]
    + SubscriptionSettings.Name.allCases.map(\.rawValue)
  private static let loginOrigin = "login-origin"
  /// Who named the feed, if it was no person.
  static let via = "via"
  static let account = "account"
  /// Who had it removed, if it was no person: its outline is a comment then, and can be brought back.
  private static let removed = "removed"
  private static let nameSet = Set(names)
  /// The longest name that is shown.
  private static let shownNameLength = 60

  /// The attributes of an outline that have no effect: those of podget's own namespace that podget does
  /// not know, those with its prefix that are of another namespace, and all of podget's own if the
  /// outline is no subscription.
  ///
  /// - Parameter isSubscription: whether it is one; false for a folder, a comment, and a feed that is
  ///   listed before.
  static func attributesWithoutEffect(
    in outline: OPMLOutline, isSubscription: Bool
  ) -> [OPMLAttribute] {
    outline.attributes.filter { attribute in
      attribute.namespace == namespace
        ? !isSubscription || !nameSet.contains(attribute.local)
        : attribute.prefix == OPMLDocument.prefix
    }
  }

  /// Why such an attribute has no effect. It takes a while, because all names are compared with it.
  static func warning(about attribute: OPMLAttribute) -> String {
    // A character may have any number of combining marks.
    let name = String(
      String.UnicodeScalarView(attribute.name.unicodeScalars.prefix(shownNameLength)))
    guard attribute.namespace == namespace else {
      return "\(name) has no effect, because its prefix is not declared as "
        + "xmlns:\(OPMLDocument.prefix)=\"\(namespace)\"."
    }
    guard !nameSet.contains(attribute.local) else {
      return "\(name) has no effect here: the outline is no subscription, or its feed is listed "
        + "before."
    }
    let prefix = attribute.prefix ?? OPMLDocument.prefix
    let hint = NearestName.nearest(to: attribute.local, among: names).map {
      "; did you mean \(prefix):\($0)?"
    }
    return "podget does not know \(name), which has no effect\(hint ?? ".")"
  }

  /// Reads the subscription of an outline; nil if it has no address.
  ///
  /// - Parameters:
  ///   - outline: the outline.
  ///   - folders: the titles of the outlines around it.
  /// - Throws: the fault of a value that cannot be used.
  static func subscription(
    _ outline: OPMLOutline, in folders: [String]
  ) throws(Fault) -> Subscription? {
    func fault(_ name: String, _ sentence: String) -> Fault {
      let attribute = outline.attributes.first { $0.namespace == namespace && $0.local == name }
      return Fault(
        sentence: "The value of podget:\(name) is wrong: \(sentence)",
        position: attribute?.position ?? outline.position)
    }
    guard !outline.isComment, let address = outline.feedAddress else { return nil }
    guard let feedURL = FeedURL(address) else {
      throw Fault(sentence: "\"xmlUrl\" is not a web address.", position: outline.position)
    }
    let title = outline["title"] ?? outline["text"]
    let name = value(outline, "name") ?? ""
    if !name.isEmpty, !SubscriptionName.isValid(name) {
      throw fault("name", "It is not a name; letters, digits, - and _ make one.")
    }
    // A password in it would reach other files.
    let first = value(outline, "first").map { AddressRedaction.withoutCredentials($0) }
    var subscription = Subscription(
      name: name, title: title?.limitingCombiningMarks ?? feedURL.redacted, feedURL: feedURL,
      firstURL: first, guid: value(outline, "guid"))
    // Spaces separate addresses, and are written as %20 within them. A wrong one names no podcast.
    let earlier = (value(outline, "earlier") ?? "").split(separator: " ", maxSplits: mostEarlier)
    subscription.remember(earlier.compactMap { FeedURL(String($0)) })
    if let id = value(outline, "id") {
      guard let number = Int64(id), number > 0 else {
        throw fault("id", "It is not an Apple id.")
      }
      subscription.id = number
    }
    subscription.isFromAccount = value(outline, via) == account
    if let origin = value(outline, loginOrigin) {
      guard let address = WebAddress(origin), address.isHTTP else {
        throw fault(loginOrigin, "It is not an origin like https://example.com.")
      }
      subscription.ownLoginOrigin = address.origin
    }
    for setting in SubscriptionSettings.Name.allCases {
      guard let text = value(outline, setting.rawValue) else { continue }
      do throws(OptionValueError) {
        try SubscriptionSettings.check(text, of: setting)
      } catch {
        throw fault(setting.rawValue, error.description)
      }
      subscription.settings[setting] = text
    }
    let folder = folders.map(escaped).joined(separator: "/")
    let categories = (outline["category"] ?? "").split(separator: ",").map { category in
      String(category.trimmingWhitespace().drop { $0 == "/" })
    }
    for category in ([folder] + categories).lazy.map({ Self.folders($0).joined(separator: "/") })
    where !category.isEmpty && !subscription.categories.contains(category) {
      guard subscription.categories.count < mostCategories else { break }
      subscription.categories.append(category)
    }
    return subscription
  }

  /// The outline as one that is no subscription any more, but can be brought back; without what is in it.
  static func kept(_ outline: OPMLOutline) -> OPMLOutline {
    var kept = outline
    kept.nodes = []
    kept["isComment"] = "true"
    set(&kept, removed, account)
    return kept
  }

  /// Whether it was made so.
  static func isKept(_ outline: OPMLOutline) -> Bool {
    outline["isComment"] == "true" && value(outline, removed) == account
  }

  /// Such an outline as it was before.
  static func restored(_ outline: OPMLOutline) -> OPMLOutline {
    var restored = outline
    restored["isComment"] = nil
    set(&restored, removed, nil)
    return restored
  }

  /// Writes a subscription into an outline; what podget does not know in it stays.
  ///
  /// - Parameters:
  ///   - folders: the titles of the outlines around it, which need not be repeated.
  ///   - keepsCredentials: whether the user name and password of the address are written.
  static func write(
    _ subscription: Subscription, to outline: inout OPMLOutline, in folders: [String],
    keepsCredentials: Bool = true
  ) {
    let url =
      keepsCredentials ? subscription.feedURL.text : subscription.feedURL.withoutCredentials
    outline["type"] = outline["type"] ?? "rss"
    outline["text"] = subscription.title
    outline["title"] = subscription.title
    for attribute in outline.attributes
    where attribute.prefix == nil && attribute.local.lowercased() == "xmlurl"
      && attribute.local != "xmlUrl"
    {
      outline[attribute.local] = nil
    }
    outline["xmlUrl"] = url
    let folder = folders.map(escaped).joined(separator: "/")
    let categories = subscription.categories.filter { $0 != folder }
    outline["category"] =
      categories.isEmpty ? nil : categories.map { "/\($0)" }.joined(separator: ",")
    set(&outline, "name", subscription.name)
    set(&outline, "id", subscription.id.map { String($0) })
    set(&outline, "guid", subscription.guid)
    let first = subscription.firstURL == subscription.feedURL.withoutCredentials
    set(&outline, "first", first ? nil : subscription.firstURL)
    let earlier = subscription.earlierURLs.map(\.text).filter { $0 != subscription.firstURL }
      .map { $0.replacing(" ", with: "%20") }
    set(&outline, "earlier", earlier.isEmpty ? nil : earlier.joined(separator: " "))
    set(&outline, loginOrigin, keepsCredentials ? subscription.ownLoginOrigin : nil)
    set(&outline, removed, nil)
    set(&outline, via, subscription.isFromAccount ? account : nil)
    for setting in SubscriptionSettings.Name.allCases {
      let isSecret = setting == .user || setting == .passwordCommand
      let text = keepsCredentials || !isSecret ? subscription.settings[setting] : nil
      set(&outline, setting.rawValue, text)
    }
  }

  /// A folder's title as a part of a slash path.
  static func escaped(_ title: String) -> String {
    title.replacing("/", with: "-").replacing(",", with: " ")
  }

  private static func value(_ outline: OPMLOutline, _ name: String) -> String? {
    outline.value(name, namespace: namespace)
  }

  private static func set(_ outline: inout OPMLOutline, _ name: String, _ value: String?) {
    outline.set(value, name, namespace: namespace)
  }
}

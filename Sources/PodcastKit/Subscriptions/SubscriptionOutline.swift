import PodcastFeeds
import PodcastModel

/// A subscription as an outline of OPML has it: the attributes of OPML 2.0, and podget's own.
enum SubscriptionOutline {
  private static let namespace = OPMLDocument.namespace
  /// A file may name any number of them, and they become folders in folders.
  private static let mostCategories = 20
  private static let mostFolders = 10

  /// The folders of a slash path, as many as are used.
  static func folders(_ category: String) -> [String] {
    category.split(separator: "/", maxSplits: mostFolders).prefix(mostFolders).map { String($0) }
  }

  /// Reads the subscription of an outline; nil if it has no address.
  ///
  /// - Parameters:
  ///   - outline: the outline.
  ///   - folders: the titles of the outlines around it.
  /// - Throws: an ``OptionValueError`` about the value that cannot be used.
  static func subscription(
    _ outline: OPMLOutline, in folders: [String]
  ) throws(OptionValueError) -> Subscription? {
    guard !outline.isComment, let address = outline.feedAddress else { return nil }
    guard let feedURL = FeedURL(address) else {
      throw OptionValueError("\"xmlUrl\" is not a web address.")
    }
    let title = outline["title"] ?? outline["text"]
    let name = value(outline, "name") ?? ""
    if !name.isEmpty, !SubscriptionName.isValid(name) {
      throw OptionValueError("\"podget:name\" is not a name; letters, digits, - and _ make one.")
    }
    // A password in it would reach other files.
    let first = value(outline, "first").map { AddressRedaction.withoutCredentials($0) }
    var subscription = Subscription(
      name: name, title: title?.limitingCombiningMarks ?? feedURL.redacted, feedURL: feedURL,
      firstURL: first, guid: value(outline, "guid"))
    if let id = value(outline, "id") {
      guard let number = Int64(id), number > 0 else {
        throw OptionValueError("\"podget:id\" is not an Apple id.")
      }
      subscription.id = number
    }
    for setting in SubscriptionSettings.Name.allCases {
      guard let text = value(outline, setting.rawValue) else { continue }
      do throws(OptionValueError) {
        try SubscriptionSettings.check(text, of: setting)
      } catch {
        throw OptionValueError("\"podget:\(setting.rawValue)\": \(error.description)")
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

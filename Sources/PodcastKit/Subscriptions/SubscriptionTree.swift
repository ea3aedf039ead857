import PodcastFeeds
import PodcastModel

/// The outlines of subscriptions in the tree of an OPML file.
enum SubscriptionTree {
  /// Visits all outlines with the titles of those around them; what is commented out is left out.
  static func forEachOutline(
    in nodes: [OPMLNode], _ folders: [String] = [], _ body: (OPMLOutline, [String]) -> Void
  ) {
    for outline in nodes.lazy.compactMap(\.outline) where !outline.isComment {
      body(outline, folders)
      forEachOutline(in: outline.nodes, folders + [title(of: outline)], body)
    }
  }

  /// Writes changed subscriptions into their outlines, and removes outlines. One that holds others
  /// stays as their folder.
  static func edit(
    _ nodes: inout [OPMLNode], _ changes: [FeedIdentity: Subscription],
    removing removed: Set<FeedIdentity>, in folders: [String] = []
  ) {
    nodes = nodes.compactMap { node in
      guard case .outline(var outline) = node, !outline.isComment else { return node }
      if let identity = outline.feedAddress.flatMap(FeedURL.init).map(FeedIdentity.init) {
        if let subscription = changes[identity] {
          SubscriptionOutline.write(subscription, to: &outline, in: folders)
        } else if removed.contains(identity) {
          guard !outline.outlines.isEmpty else { return nil }
          outline.attributes.removeAll { $0.namespace == OPMLDocument.namespace }
          for attribute in outline.attributes
          where ["xmlurl", "url", "type"].contains(attribute.local.lowercased()) {
            outline[attribute.local] = nil
          }
        }
      }
      edit(&outline.nodes, changes, removing: removed, in: folders + [title(of: outline)])
      return .outline(outline)
    }
  }

  /// Adds an outline in folders, which are made where they are missing.
  static func insert(
    _ outline: OPMLOutline, into nodes: inout [OPMLNode], _ folders: ArraySlice<String>
  ) {
    guard let folder = folders.first else { return nodes.append(.outline(outline)) }
    for place in nodes.indices {
      guard case .outline(var found) = nodes[place], found.feedAddress == nil,
        title(of: found) == folder
      else { continue }
      insert(outline, into: &found.nodes, folders.dropFirst())
      nodes[place] = .outline(found)
      return
    }
    var new = OPMLOutline(["text": folder, "title": folder])
    insert(outline, into: &new.nodes, folders.dropFirst())
    nodes.append(.outline(new))
  }

  private static func title(of outline: OPMLOutline) -> String {
    outline["text"] ?? outline["title"] ?? ""
  }
}

import PodcastFeeds
import PodcastModel

/// The outlines of subscriptions in the tree of an OPML file.
enum SubscriptionTree {
  /// Visits all outlines with the titles of those around them; what is commented out is left out, but for
  /// what can be brought back.
  static func forEachOutline(
    in nodes: [OPMLNode], _ folders: [String] = [], _ body: (OPMLOutline, [String]) -> Void
  ) {
    for outline in nodes.lazy.compactMap(\.outline) {
      // What can be brought back is visited too.
      guard !outline.isComment || SubscriptionOutline.isKept(outline) else { continue }
      body(outline, folders)
      if outline.isComment { continue }
      forEachOutline(in: outline.nodes, folders + [title(of: outline)], body)
    }
  }

  /// Writes changed subscriptions into their outlines, and removes outlines. One that holds others
  /// stays as their folder.
  ///
  /// - Parameters:
  ///   - removed: those to remove, and whether each can be brought back.
  ///   - restored: those that are brought back, each once; what is done is taken out.
  static func edit(
    _ nodes: inout [OPMLNode], _ changes: [FeedIdentity: Subscription],
    removing removed: [FeedIdentity: Bool], restoring restored: inout Set<FeedIdentity>,
    in folders: [String] = []
  ) {
    nodes = nodes.flatMap { node -> [OPMLNode] in
      guard case .outline(var outline) = node else { return [node] }
      let identity = outline.feedAddress.flatMap(FeedURL.init).map(FeedIdentity.init)
      if let identity, SubscriptionOutline.isKept(outline), restored.remove(identity) != nil {
        outline = SubscriptionOutline.restored(outline)
      }
      if outline.isComment { return [node] }
      var others: [OPMLNode] = []
      if let identity {
        if let subscription = changes[identity] {
          SubscriptionOutline.write(subscription, to: &outline, in: folders)
        } else if let isKept = removed[identity] {
          if isKept { others = [.outline(SubscriptionOutline.kept(outline))] }
          guard !outline.outlines.isEmpty else { return others }
          outline.attributes.removeAll { $0.namespace == OPMLDocument.namespace }
          for attribute in outline.attributes
          where ["xmlurl", "url", "type"].contains(attribute.local.lowercased()) {
            outline[attribute.local] = nil
          }
        }
      }
      edit(
        &outline.nodes, changes, removing: removed, restoring: &restored,
        in: folders + [title(of: outline)])
      return [.outline(outline)] + others
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

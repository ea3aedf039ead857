package import FoundationEssentials
internal import PodcastModel

/// The head of a list: its title, its dates, and what podget does not know.
package struct OPMLHead: Sendable, Hashable {
  /// The attributes of the head itself.
  package var attributes: [OPMLAttribute] = []
  /// What it holds, in its order.
  package var nodes: [OPMLNode] = []

  /// The title of the list; setting nil removes it.
  package var title: String? {
    get { text(of: "title") }
    set { set(newValue, of: "title", at: 0) }
  }

  /// When the list was made.
  package var dateCreated: Date? {
    get { date(of: "dateCreated") }
    set { set(newValue.map(FeedDateText.text), of: "dateCreated", at: nodes.count) }
  }

  /// When the list was last changed.
  package var dateModified: Date? {
    get { date(of: "dateModified") }
    set { set(newValue.map(FeedDateText.text), of: "dateModified", at: nodes.count) }
  }
}

extension OPMLHead {
  private func place(of name: String) -> Int? {
    nodes.firstIndex { $0.element.map { $0.prefix == nil && $0.local == name } ?? false }
  }

  private func text(of name: String) -> String? {
    guard let text = place(of: name).flatMap({ nodes[$0].element?.text }), !text.isEmpty else {
      return nil
    }
    return text
  }

  private func date(of name: String) -> Date? {
    text(of: name).flatMap { FeedDate.date(Array($0.utf8)) }
  }

  /// - Parameter index: where a new element goes.
  private mutating func set(_ text: String?, of name: String, at index: Int) {
    let element = text.map { OPMLElement(local: name, nodes: [.text($0)]) }
    switch (place(of: name), element) {
    case (let place?, let element?):
      var changed = element
      changed.attributes = nodes[place].element?.attributes ?? []
      nodes[place] = .element(changed)
    case (let place?, nil): nodes.remove(at: place)
    case (nil, let element?): nodes.insert(.element(element), at: index)
    case (nil, nil): break
    }
  }
}

/// How lists are sorted and grouped, which is kept from one start to the next.
extension BrowseModel {
  /// The lists with their names in the text.
  private static var lists: [(name: String, list: WritableKeyPath<BrowseModel, RowArrangement>)] {
    [
      ("podcasts", \.subscriptions.arrangement), ("podcast", \.podcastArrangement),
      ("library", \.saved.arrangement), ("new", \.new.arrangement),
      ("downloads", \.downloads.arrangement),
    ]
  }

  /// How all lists are arranged, a line for each.
  package var arrangements: String {
    Self.lists.map { name, list in
      let arrangement = self[keyPath: list]
      return "\(name) \(arrangement.sort.rawValue) \(arrangement.group.rawValue)\n"
    }.joined()
  }

  /// Arranges lists as a text says; what it does not know stays.
  mutating func arrange(as text: String) {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      guard words.count == 3, let sort = RowArrangement.Sort(rawValue: words[1]),
        let group = RowArrangement.Group(rawValue: words[2]),
        let list = Self.lists.first(where: { $0.name == words[0] })?.list
      else { continue }
      self[keyPath: list].sort = sort
      self[keyPath: list].group = group
    }
  }

  /// That of the open podcast, and of those that are opened later.
  private var podcastArrangement: RowArrangement {
    get { openArrangement }
    set {
      openArrangement = newValue
      podcast?.list.arrangement = newValue
    }
  }

  /// Opens a podcast.
  mutating func open(_ new: OpenPodcast) {
    podcast = new
    podcast?.list.arrangement = openArrangement
  }
}

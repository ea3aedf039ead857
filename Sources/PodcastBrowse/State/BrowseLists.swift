/// The list that is shown, and its arrangement.
extension BrowseModel {
  /// The list of episodes that is shown; nil where podcasts are.
  package var episodes: RowList<EpisodeRow>? {
    switch tab {
    case .catalog: podcast?.list
    case .saved: isTrashShown ? trash : saved
    case .new: new
    case .downloads: downloads
    }
  }

  /// The list of podcasts that is shown; nil where episodes are.
  package var podcasts: RowList<PodcastRow>? {
    guard tab == .catalog, podcast == nil else { return nil }
    return searched == nil ? subscriptions : found
  }

  /// The filter of the list that is shown.
  package var filter: String { episodes?.filter ?? podcasts?.filter ?? "" }

  /// How the list that is shown is arranged.
  package var arrangement: RowArrangement {
    episodes?.arrangement ?? podcasts?.arrangement ?? RowArrangement()
  }

  var sortName: String {
    if podcasts != nil { return arrangement.sort == .title ? "title" : "the order of the list" }
    switch arrangement.sort {
    case .newest: return "date, the newest first"
    case .oldest: return "date, the oldest first"
    default: return arrangement.sort.rawValue
    }
  }
}

extension BrowseModel {
  mutating func move(by distance: Int) {
    // A list has fewer lines than this; the sum of a place and a distance cannot overflow.
    let distance = min(max(distance, -1_000_000_000), 1_000_000_000)
    changeList {
      $0.move(by: distance)
    } podcasts: {
      $0.move(by: distance)
    }
  }

  /// Changes the list that is shown.
  mutating func changeList(
    episodes: (inout RowList<EpisodeRow>) -> Void,
    podcasts: (inout RowList<PodcastRow>) -> Void = { _ in }
  ) {
    if isTrashShown, tab == .saved {
      episodes(&trash)
    } else if tab == .saved {
      episodes(&saved)
    } else if tab == .new {
      episodes(&new)
    } else if tab == .downloads {
      episodes(&downloads)
    } else if podcast != nil {
      if var list = podcast?.list {
        // The list has no other owner while it is changed.
        podcast?.list = RowList()
        episodes(&list)
        podcast?.list = list
      }
    } else if searched != nil {
      podcasts(&found)
    } else {
      podcasts(&subscriptions)
    }
  }

  mutating func arrange(_ change: (inout RowArrangement) -> Void) {
    changeList {
      change(&$0.arrangement)
    } podcasts: {
      // Podcasts have a title and no more.
      $0.arrangement.sort = $0.arrangement.sort == .title ? .newest : .title
    }
    if tab == .catalog, let podcast { openArrangement = podcast.list.arrangement }
  }

  mutating func setFilter(_ text: String) {
    changeList {
      $0.setFilter(text)
    } podcasts: {
      $0.setFilter(text)
    }
  }
}

extension BrowseModel {
  mutating func show(_ page: PodcastPage, of source: String) {
    guard podcast?.source == source else { return }
    let rows = page.episodes.map { current($0) }
    podcast?.title = page.title
    podcast?.author = page.author
    podcast?.isFollowed = page.isFollowed
    podcast?.loading = .loaded
    podcast?.age = page.isAsked ? .asked : .current
    // A feed may name another address than the directory. The image that is there stays.
    let known = podcast?.artwork
    if known == nil || known.map({ artworks[$0]?.isFailed == true }) == true {
      podcast?.artwork = page.artwork ?? known
    }
    podcast?.list.set(rows)
  }

  /// Shows a tab. What is new is read when it is first wanted.
  mutating func show(_ tab: Tab) -> [BrowseEffect] {
    self.tab = tab
    isTrashShown = false
    guard tab == .new, !isNewWanted else { return [] }
    isNewWanted = true
    return [.loadNew]
  }

  /// Changes the details that are shown, if they are those of an episode.
  mutating func updateDetails(
    of key: String, _ change: (inout EpisodeDetailPages) -> Void
  ) {
    guard case .details(var details)? = overlay, details.key == key else { return }
    change(&details)
    overlay = .details(details)
  }
}

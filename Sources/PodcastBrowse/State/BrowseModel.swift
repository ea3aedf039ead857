package import BrowseScreen
import PodcastModel

/// The state of the whole program, which keys and events change.
///
/// It knows no terminal, network or disk: what is to be done comes out as effects, and what came of
/// them comes in as events.
package struct BrowseModel: Sendable {
  /// The tabs, in order.
  package enum Tab: String, Sendable, Hashable, CaseIterable {
    case catalog = "Catalog"
    case saved = "Library"
    case new = "New"
    case downloads = "Downloads"
  }

  /// How far something is with being read.
  package enum Loading: Sendable, Hashable {
    case waiting, loaded
    case failed(String)
  }

  /// Whether a list is what its server says now.
  package enum ListAge: Sendable, Hashable { case current, asked, old }

  /// A podcast that is open.
  package struct OpenPodcast: Sendable {
    /// The source that names it.
    package var source: String
    /// The title and the author as far as they are known.
    package var title: String
    package var author: String
    package var isFollowed: Bool
    /// The address of the artwork, if known.
    package var artwork: String?
    package var loading = Loading.waiting
    /// Whether the list is from before, and why: its feed is being asked, or has not answered.
    package var age = ListAge.current
    package var list = RowList<EpisodeRow>()
  }

  /// A text that is being typed.
  package struct Prompt: Sendable, Hashable {
    /// What it is for.
    package enum Purpose: Sendable, Hashable { case search, filter, link, setting, page, words }
    package var purpose: Purpose
    package var text: String
  }

  /// What is done only after the user has said yes.
  package enum Question: Sendable, Hashable {
    /// Download episodes: their keys, and how many bytes they have as far as that is known.
    case download([String], bytes: Int64)
    /// Forget unfinished downloads: their keys, and how many bytes arrived.
    case forget([String], bytes: Int64)
    /// Check all feeds.
    case sync
    /// Follow a podcast no longer: its source and its title.
    case unsubscribe(String, title: String)
    /// Remove episodes.
    case remove(Removal)
    /// Delete files of the trash for good: the keys of their rows, the files that these
    /// have now, and how many bytes they have.
    case empty([String], files: [String], bytes: Int64)
  }

  /// A page of text over the lists, with how far it is scrolled.
  package enum Overlay: Sendable, Hashable {
    case help(Int)
    case errors(Int)
    case details(EpisodeDetailPages)
    case settings(SettingsPage)
    case words(WordsPage)
  }

  /// The longest text that can be typed, and the longest setting or address.
  static let (longestPrompt, longestSetting) = (200, 4000)
  /// How many episodes are downloaded at one key without a question.
  static let mostUnasked = 20

  /// Whether the files of removed episodes are kept for a while.
  let hasTrash: Bool
  /// What keys do.
  package let keys: BrowseKeyMap
  package internal(set) var size: ScreenSize
  package internal(set) var tab = Tab.catalog
  /// The podcasts that are followed.
  package internal(set) var subscriptions = RowList<PodcastRow>()
  package internal(set) var subscriptionsLoading = Loading.waiting
  /// What was searched; nil while the subscriptions are shown.
  package internal(set) var searched: String?
  package internal(set) var found = RowList<PodcastRow>()
  package internal(set) var foundLoading = Loading.waiting
  /// The podcast that is open in the catalog.
  package internal(set) var podcast: OpenPodcast?
  /// How the episodes of open podcasts are arranged.
  var openArrangement = RowArrangement()
  /// The library.
  package internal(set) var saved = RowList<EpisodeRow>()
  package internal(set) var savedLoading = Loading.waiting
  /// Whether it has episodes of several podcasts.
  package internal(set) var hasManyPodcasts = false
  /// What was removed and can be restored.
  package internal(set) var trash = RowList<EpisodeRow>()
  package internal(set) var trashLoading = Loading.waiting
  /// Whether it is shown in place of the library.
  package internal(set) var isTrashShown = false
  /// What is new of the podcasts that are followed.
  package internal(set) var new = RowList<EpisodeRow>()
  package internal(set) var newLoading = Loading.waiting
  /// What runs, waits, has failed, or was begun.
  package internal(set) var downloads = RowList<EpisodeRow>(grouped: .state)
  /// Whether an episode came to it or went since it was made.
  var areDownloadsStale = true
  /// The speeds of what is being downloaded, in bytes a second.
  package internal(set) var speeds: [String: Int64] = [:]
  /// The rows of what was asked for: the list that they were in may be gone.
  var wantedRows: [String: EpisodeRow] = [:]
  /// How many episodes are new of each podcast, by the names of subscriptions.
  package internal(set) var newCounts: [String: Int] = [:]
  /// Whether what is new was asked for: reading it takes longer than the library alone.
  var isNewWanted = false
  /// Whether the last key was the first g of gg.
  var hasG = false
  package internal(set) var prompt: Prompt?
  package internal(set) var overlay: Overlay?
  /// What the rows of the help must contain, as typed.
  package internal(set) var helpFilter = ""
  /// What waits for a yes; the next key answers it.
  package internal(set) var question: Question?
  /// The page of the details, as lines.
  var wrapped = WrappedPage()
  /// How many pixels a cell has; nil if there are no images.
  package internal(set) var imageCell: CellSize?
  /// The artworks that were shown last: each has some hundred kilobytes, and the work behind the screen
  /// keeps more.
  var artworks = ArtworkList(most: 8)
  /// The address of the artwork that is shown, or for which its place waits.
  var requestedArtwork: String?
  /// Whether rows may have small artworks: half blocks are too coarse for them.
  var hasIcons = false
  /// The small artworks that came last, with 16 KiB at most: more than fit on a screen.
  var icons = ArtworkList(most: 512)
  /// The addresses of those that were asked for and have not come.
  var requestedIcons: Set<String> = []
  /// What is being played.
  package internal(set) var player: PlayedEpisode?
  /// The keys of the episodes that are played after it, in order.
  package internal(set) var queue: [String] = []
  /// The titles of what was removed or restored, which no list may have any more.
  var titles: [String: String] = [:]
  /// What was said last; the next key takes it away.
  package internal(set) var message = ""
  /// What went wrong, the last one at the end.
  package internal(set) var errors: [String] = []
  /// The states of episodes that changed since the program began: they are newer than any list.
  package internal(set) var states: [String: EpisodeState] = [:]
  /// What was asked for and has no answer yet, by episode.
  var asked: [String: AskedChanges] = [:]
  /// The changes that take back what was done, the last one at the end.
  var undos: [BrowseUndo] = []

  /// The state at the beginning.
  ///
  /// - Parameters:
  ///   - size: the size of the screen.
  ///   - source: the podcast to open at once.
  ///   - hasTrash: whether the files of removed episodes are kept for a while.
  ///   - keys: what keys do.
  package init(
    size: ScreenSize, source: String? = nil, hasTrash: Bool = true,
    keys: BrowseKeyMap = BrowseKeyMap()
  ) {
    self.keys = keys
    self.size = size
    self.hasTrash = hasTrash
    if let source {
      podcast = OpenPodcast(source: source, title: "", author: "", isFollowed: false)
    }
  }

  /// What is to be done at the beginning.
  package var firstEffects: [BrowseEffect] {
    (podcast.map { [.loadPodcast($0.source)] } ?? []) + [.loadSubscriptions, .loadLibrary]
  }

  /// How many downloads run, wait for their turn, and are paused.
  package var activity: (running: Int, queued: Int, paused: Int) {
    states.values.reduce(into: (0, 0, 0)) { counts, state in
      switch state {
      case .running, .retrying: counts.0 += 1
      case .queued: counts.1 += 1
      case .paused: counts.2 += 1
      case .remote, .partial, .complete, .failed, .missing, .removed: break
      }
    }
  }

  /// Takes an event, and says what is to be done.
  package mutating func reduce(_ event: BrowseEvent) -> [BrowseEffect] {
    var effects: [BrowseEffect] = []
    switch event {
    case .key(let key):
      message = ""
      effects = press(key)
    case .resized(let size): self.size = size
    case .subscriptions(let rows):
      subscriptions.set(rows)
      subscriptionsLoading = .loaded
      effects = settingsEffects
    case .subscriptionsFailed(let reason):
      subscriptionsLoading = .failed(reason)
      keepError(reason)
    case .found(let term, let rows):
      guard term == searched else { break }
      found.set(rows)
      foundLoading = .loaded
    case .searchFailed(let term, let reason):
      if term == searched { foundLoading = .failed(reason) }
      keepError(reason)
    case .podcast(let source, let page): show(page, of: source)
    case .podcastIsCurrent(let source):
      if podcast?.source == source { podcast?.age = .current }
    case .podcastFailed(let source, let reason):
      guard podcast?.source == source else { break }
      // What is there stays: a refresh that fails takes nothing away.
      if podcast?.list.rows.isEmpty == true {
        podcast?.loading = .failed(reason)
        complain(reason)
      } else {
        podcast?.age = .old
        complain("This is what was listed before. \(reason)")
      }
    case .grown(let bytes): for (key, bytes) in bytes { grow(key, to: bytes) }
    case .library(let list):
      takeSaved(list)
      savedLoading = .loaded
    case .libraryFailed(let reason):
      savedLoading = .failed(reason)
      keepError(reason)
    case .new(let list, let counts):
      new.take(list)
      for key in states.keys {
        guard let row = new.row(key: key).map(current) else { continue }
        new.update(key) { $0 = row }
      }
      newCounts = counts
      newLoading = .loaded
    case .trash(let list):
      trash.take(list)
      trashLoading = .loaded
    case .settings(let source, let settings): take(settings, of: source)
    case .settingChanged(let undo): remember(undo)
    case .words(let text, let found, let failure): take(found, failure: failure, of: text)
    case .newFailed(let reason):
      // What is there stays.
      if newLoading == .loaded { message = reason } else { newLoading = .failed(reason) }
      keepError(reason)
    case .state(let key, let state): effects = change(key, to: state)
    case .changed(let keys, let change):
      if change == .restored { message = "Restored: \(named(keys))" }
      effects = takeAnswer(to: change, of: keys, isDone: true)
    case .unchanged(let keys, let change, let reason, let isFinal):
      complain(reason)
      forgetUndo(of: change, keys, isFinal: isFinal)
      effects = takeAnswer(to: change, of: keys, isDone: false)
    case .arrangements(let text): arrange(as: text)
    case .speed(let key, let speed): if states[key]?.isTransferred == true { speeds[key] = speed }
    case .details(let key, let text, let pages):
      updateDetails(of: key) { details in
        details.take(text, of: .notes)
        details.take(pages)
      }
    case .page(let key, let page, let text):
      updateDetails(of: key) { $0.take(text, of: page) }
      selectWhatPlays(on: page, of: key)
    case .player(let player): self.player = player
    case .ended: effects = queue.isEmpty ? [] : playNext()
    case .marked(let key, let isPlayed, let position):
      effects = take(isPlayed: isPlayed, position, of: key)
    case .message(let text): message = text
    case .error(let text): complain(text)
    case .images(let cell, let hasIcons): (imageCell, self.hasIcons) = (cell, hasIcons)
    case .icon(let address, let icon): receive(icon: icon, at: address)
    case .artwork(let address, let image, let why):
      receive(image.map { .image($0) } ?? .failed(TerminalText.safe(why)), at: address)
    case .followed(let source, let isFollowed):
      setFollowed(source, isFollowed)
      effects = [.loadSubscriptions] + (isNewWanted ? [.loadLibrary] : [])
    }
    refreshDownloads()
    layOut()
    return effects + followArtwork() + followIcons()
  }
}

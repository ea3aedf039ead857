package import BrowseScreen
package import PodcastArtwork
package import PodcastModel

/// What the model is told.
package enum BrowseEvent: Sendable, Hashable {
  /// A key was pressed.
  case key(Key)
  /// The screen has a size.
  case resized(ScreenSize)
  /// The podcasts that are followed.
  case subscriptions([PodcastRow])
  /// They cannot be read: why.
  case subscriptionsFailed(String)
  /// The podcasts that were found for a text.
  case found(String, [PodcastRow])
  /// The search failed: why.
  case searchFailed(String, String)
  /// A podcast by its source, with its episodes.
  case podcast(String, PodcastPage)
  /// A podcast is as its last page says: its source.
  case podcastIsCurrent(String)
  /// A podcast cannot be read: its source, and why.
  case podcastFailed(String, String)
  /// The episodes of the library, in the usual order.
  case library(RowList<EpisodeRow>)
  /// The library cannot be read: why.
  case libraryFailed(String)
  /// What is new of the podcasts that are followed, and how many episodes of each are, by the names
  /// of their subscriptions.
  case new(RowList<EpisodeRow>, counts: [String: Int])
  /// What is new cannot be read: why.
  case newFailed(String)
  /// What is in the trash.
  case trash(RowList<EpisodeRow>)
  /// The settings of a podcast by its source.
  case settings(String, PodcastSettings)
  /// What was found of a text, or why it was not sought.
  case words(String, [WordsPage.Line], failure: String? = nil)
  /// Settings were changed, and what takes that back.
  case settingChanged(SettingChange)
  /// The state of an episode has changed.
  case state(String, EpisodeState)
  /// How many bytes episodes have that another program downloads, by their keys.
  case grown([String: Int64])
  /// How lists were arranged before.
  case arrangements(String)
  /// How fast an episode is being downloaded, in bytes a second.
  case speed(String, Int64)
  /// A change of episodes that was asked for is done.
  case changed([String], EpisodeChange)
  /// It is not, and why; whether there is no use in trying again.
  case unchanged([String], EpisodeChange, String, isFinal: Bool = false)
  /// What the podcast says about an episode, and which pages its details have.
  case details(String, DetailText, pages: Set<DetailPage> = [.notes])
  /// Another page of the details of an episode.
  case page(String, DetailPage, DetailText)
  /// Images can be shown in cells of this size, or not at all, and whether those of a row can too.
  case images(CellSize?, inRows: Bool = false)
  /// The artwork at an address; nil if it cannot be shown, and why.
  case artwork(String, Thumbnail?, why: String = "")
  /// The icon of the artwork at an address; nil if it cannot be shown.
  case icon(String, Thumbnail?)
  /// What is being played; nil for nothing.
  case player(PlayedEpisode?)
  /// An episode was played to its end.
  case ended(String)
  /// The record says now whether an episode was played, and where playing continues.
  case marked(String, isPlayed: Bool, position: Duration?)
  /// Something to say to the user.
  case message(String)
  /// Something that went wrong.
  case error(String)
  /// Whether a podcast is followed from now on.
  case followed(String, Bool = true)
}

/// An episode that is being played.
package struct PlayedEpisode: Sendable, Hashable {
  /// Its key.
  package let key: String
  /// Its title, safe for a terminal.
  package let title: String
  /// How far the player is.
  package let state: PlayerState

  /// Creates what a player plays.
  package init(key: String, title: String, state: PlayerState) {
    self.key = key
    self.title = TerminalText.safe(title)
    self.state = state
  }
}

/// A podcast as a page.
package struct PodcastPage: Sendable, Hashable {
  /// The title, safe for a terminal.
  package var title: String
  /// The author, safe for a terminal; empty if it is not known.
  package var author: String
  /// The episodes.
  package var episodes: [EpisodeRow]
  /// Whether it is followed.
  package var isFollowed: Bool
  /// The address of its artwork, if known.
  package var artwork: String?
  /// Whether this is what is known from before, while its feed is asked.
  package var isAsked = false

  /// Creates a page.
  package init(
    title: String, author: String, episodes: [EpisodeRow], isFollowed: Bool,
    artwork: String? = nil
  ) {
    self.title = title
    self.author = author
    self.episodes = episodes
    self.isFollowed = isFollowed
    self.artwork = artwork
  }
}

/// An effect that the model asks for.
package enum BrowseEffect: Sendable, Hashable {
  /// Read the subscriptions.
  case loadSubscriptions
  /// Read the library.
  case loadLibrary
  /// Read what is new, and read it again with the library from then on.
  case loadNew
  /// Read what is in the trash, and read it again with the library from then on.
  case loadTrash
  /// Delete files of the trash for good, by their paths; the keys are those of their rows.
  case deleteFromTrash([String], files: [String])
  /// Read the settings of a podcast by its source.
  case loadSettings(String)
  /// Change settings of a podcast.
  case set(SettingChange)
  /// Look for a regular expression in titles, notes and transcripts, and no longer for the one before.
  case findWords(String)
  /// Read a podcast by its source.
  case loadPodcast(String)
  /// Search the directory.
  case search(String)
  /// Read what is said about an episode.
  case loadDetails(String)
  /// Read another page of the details of an episode.
  case loadPage(String, DetailPage)
  /// Read an artwork instead of the one before; nil for none.
  case loadArtwork(ArtworkWish?)
  /// Read these artworks as icons instead of the ones before that have not come.
  case loadIcons([ArtworkWish])
  /// Change episodes by their keys. The answer says of each whether it is done.
  case change([String], EpisodeChange)
  /// Keep how lists are arranged.
  case keep(String)
  /// Play the file of an episode: from a time, or from where it was left.
  case play(String, from: Duration? = nil)
  /// Open an address with the system's program, or copy it.
  case open(String), copy(String)
  /// Ask the player for something.
  case control(PlayerRequest)
  /// End the player, or let it go on when the program ends.
  case endPlaying, leavePlaying
  /// Follow a podcast by its source, or no longer.
  case subscribe(String)
  case unsubscribe(String)
  /// Follow a podcast again as it was followed.
  case followAgain(String)
  /// Check the feed of a podcast, or all feeds.
  case sync(String?)
  /// Stop the check of feeds that runs, with what is said if none does.
  case stopSync(String)
  /// End the program.
  case quit

  /// Whether it reads what may be read again at any time.
  package var isReading: Bool {
    switch self {
    case .loadSubscriptions, .loadPodcast, .search: true
    default: false
    }
  }

  /// Whether it changes the disk and waits for nobody: it is done also before the program ends.
  package var isQuick: Bool {
    switch self {
    case .keep, .deleteFromTrash, .change(_, .starred), .change(_, .played), .change(_, .removed),
      .change(_, .restored):
      true
    default: false
    }
  }

  /// The episodes or the podcast that it changes, so that it must wait for earlier changes of these;
  /// nil if it changes nothing.
  package var changed: Set<String>? {
    switch self {
    case .loadSubscriptions, .loadLibrary, .loadNew, .loadTrash, .loadSettings, .loadPodcast,
      .findWords,
      .search, .loadDetails, .loadPage, .loadArtwork, .loadIcons, .sync, .stopSync, .open, .copy,
      .quit:
      // Of checks one runs, and does not wait.
      nil
    case .keep: ["/"]
    case .change(let keys, _), .deleteFromTrash(let keys, _): Set(keys)
    case .set(let change): [change.source]
    case .subscribe(let key), .unsubscribe(let key), .followAgain(let key): [key]
    // There is one player.
    case .play(let key, _): [key, "/player"]
    case .control, .endPlaying, .leavePlaying: ["/player"]
    }
  }
}

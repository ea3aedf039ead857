internal import PodcastModel

/// What a feed says about its podcast in several elements, of which the best one counts.
struct FeedFields {
  var title: String?
  var otherTitle: String?
  var itunesAuthor: String?
  var googleplayAuthor: String?
  var atomAuthor: String?
  var editor: String?
  var creator: String?
  var itunesImage: String?
  var imageURL: String?
  var otherImage: String?
  var icon: String?

  /// Puts the best of it into a podcast.
  func apply(to podcast: inout Podcast) {
    podcast.title = title ?? otherTitle ?? "Untitled podcast"
    podcast.author = itunesAuthor ?? googleplayAuthor ?? atomAuthor ?? creator ?? editor
    podcast.artworkURL = itunesImage ?? imageURL ?? otherImage ?? icon
  }
}

import PodcastKit

/// What `show` and `search` write.
extension JSONForms {
  /// An episode as published, and what the feed says about the podcast besides, if that is wanted.
  typealias Published = (episode: PublishedEpisode, about: PodcastDetails?)

  /// An element of `show`.
  static let publishedEpisode = JSONForm<Published> {
    JSONMember("podcast", publishedPodcast) { $0 }
    JSONMember("episode", publishedMembers) { $0.episode }
    JSONMember("status", .words(["remote"] + LocalEpisode.Status.allCases.map(\.rawValue))) {
      $0.episode.status
    }
    JSONMember("details", ifThere: episodeDetails) {
      $0.about == nil ? nil : $0.episode.details ?? EpisodeDetails()
    }
    JSONMember("stored", ifThere: stored.list) { $0.about == nil ? nil : $0.episode.stored }
  }

  private static let stored = JSONForm<BelongingFile> {
    JSONMember("kind", .string, \.kind?.rawValue)
    JSONMember("path", .string, \.path)
    JSONMember("bytes", .count, \.bytes)
  }

  private static let publishedPodcast = JSONForm<Published> {
    podcastMembers.map { $0.of { $0.episode.podcast } }
    JSONMember("author", .string) { $0.episode.podcast.author }
    JSONMember("artworkUrl", .address) { $0.episode.podcast.artworkURL }
    JSONMember("medium", ifThere: JSONForm.string.optional) { $0.about.map(\.medium) }
    JSONMember("locked", ifThere: .flag) { $0.about?.isLocked }
    JSONMember("funding", ifThere: funding.list) { $0.about?.funding }
  }

  private static let publishedMembers = JSONForm<PublishedEpisode> {
    episodeMembers.map { $0.of(\.episode) }
    JSONMember("duration", .seconds, \.episode.duration)
    JSONMember("url", .address, \.episode.enclosure.url)
    JSONMember("mimeType", .string, \.episode.enclosure.mimeType)
    JSONMember("length", .count, \.episode.enclosure.length)
    JSONMember("season", .integer, \.episode.season)
    JSONMember("number", .integer, \.episode.number)
    JSONMember("type", .word, \.episode.kind)
    JSONMember("artworkUrl", .address, \.episode.artworkURL)
    JSONMember("link", .address, \.details?.link)
  }

  private static let funding = JSONForm<FeedDocument.Funding> {
    JSONMember("url", .address, \.url)
    JSONMember("title", .string, \.title)
  }

  /// What a feed says about an episode besides.
  private static let episodeDetails = JSONForm<EpisodeDetails> {
    JSONMember("description", .string, \.description)
    JSONMember("text", .string, \.text)
    JSONMember("chaptersUrl", .address, \.chaptersURL)
    JSONMember("chapters", chapter.list, \.chapters)
    JSONMember("transcripts", transcript.list, \.transcripts)
    JSONMember("persons", person.list, \.persons)
    JSONMember("explicit", .flag, \.isExplicit)
  }

  private static let chapter = JSONForm<Chapter> {
    JSONMember("start", .seconds, \.start)
    JSONMember("title", .string, \.title)
    JSONMember("url", .address, \.url)
  }

  private static let transcript = JSONForm<EpisodeDetails.Transcript> {
    JSONMember("url", .address, \.url)
    JSONMember("type", .string, \.type)
    JSONMember("language", .string, \.language)
  }

  private static let person = JSONForm<EpisodeDetails.Person> {
    JSONMember("name", .string, \.name)
    JSONMember("role", .string, \.role)
    JSONMember("url", .address, \.url)
  }

  /// An element of `search`: a podcast that was found.
  static let foundPodcast = JSONForm<Podcast> {
    JSONMember("id", .integer, \.id)
    JSONMember("title", .string, \.title)
    JSONMember("author", .string, \.author)
    JSONMember("feedUrl", .address, \.feedURL?.text)
    JSONMember("artworkUrl", .address, \.artworkURL)
    JSONMember("episodeCount", .count, \.episodeCount)
  }
}

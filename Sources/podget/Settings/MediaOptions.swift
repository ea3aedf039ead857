import ArgumentParser
import PodcastKit

/// The options for the files of an episode.
struct MediaOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where a feed offers several files of an episode, take the smallest, the best, or one of this "
        + "media type: audio/opus, video.", valueName: "smallest|best|type"))
  var prefer: String?

  @Option(
    help: ArgumentHelp(
      "Store beside each episode what its feed offers: transcripts, chapters, notes, artwork, or a "
        + "cover for each podcast, with commas between them, all or none.", valueName: "kinds"))
  var with: String?

  func validate() throws { _ = try (given, belongings) }

  /// The value of the option; nil if it is not given.
  var given: MediaPreference?? {
    get throws { try prefer.map(SettingTable.prefer.parse(option:)) }
  }

  /// The settings of subscriptions that the options replace.
  var replaced: Set<SubscriptionSettings.Name> {
    Set((prefer == nil ? [] : [.prefer]) + (with == nil ? [] : [.with]))
  }

  /// The value of `--with`; nil if it is not given.
  var belongings: Belongings? {
    get throws { try with.map(SettingTable.with.parse(option:)) }
  }
}

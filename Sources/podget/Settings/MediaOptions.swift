import ArgumentParser
import PodcastKit

/// The option for episodes that have several files.
struct MediaOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where a feed offers several files of an episode, take the smallest, the best, or one of this "
        + "media type: audio/opus, video.", valueName: "smallest|best|type"))
  var prefer: String?

  func validate() throws { _ = try given }

  /// The value of the option; nil if it is not given.
  var given: MediaPreference?? {
    get throws { try prefer.map(SettingTable.prefer.parse(option:)) }
  }

  /// The settings of subscriptions that the options replace.
  var replaced: Set<SubscriptionSettings.Name> { prefer == nil ? [] : [.prefer] }
}

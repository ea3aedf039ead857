/// How much of a feed is read. What a hostile or broken feed has beyond these ends the reading or is
/// left out; no real feed comes near them.
public struct FeedLimits: Sendable, Hashable {
  /// The most bytes of a feed, decoded; an eighth of that for JSON Feed, which is kept in memory.
  /// Reading ends with an error behind them.
  public var bytes = 512 * 1024 * 1024
  /// The most items. Reading ends with an error behind them.
  public var items = 200_000
  /// The most bytes of a description that are kept, up to 256 KiB; with 0, descriptions are left out.
  public var descriptionBytes = textBytes
  /// The most bytes of all descriptions, transcripts' addresses and other details together. Items
  /// behind them have none.
  public var detailBytes = 128 * 1024 * 1024
  /// The most bytes that addresses get from those to which they are relative: ten addresses in each of
  /// 10,000 items, with a base of usual length. Reading ends with an error behind them.
  public var addressBytes = 8 * 1024 * 1024

  /// The limits that podget has.
  public init() {}
}

extension FeedLimits {
  /// The most bytes of a title or a name that is kept.
  static let titleBytes = 2048
  /// The most bytes of a description that become a title.
  static let openingBytes = 80
  /// The most bytes of a guid; a longer one is none.
  static let guidBytes = 4096
  /// The most bytes of any text that are gathered.
  static let textBytes = 256 * 1024
  /// The most transcripts, persons and other repeated elements of one item or channel.
  static let repeated = 64
  /// The most chapters of one episode.
  static let chapters = 5000
  /// The most attachments of one item of JSON Feed, of which one is kept.
  static let attachments = 1000
}

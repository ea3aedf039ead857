import Foundation
import Testing

@testable import PodcastModel

/// Values for the tables of sync, on a clock that starts at noon of 2024-06-01.
enum SyncPieces {
  /// That many hours after the start.
  static func hour(_ hours: Double) -> Date {
    Date(timeIntervalSince1970: 1_717_243_200 + hours * 3600)
  }

  /// That many days after the start.
  static func day(_ days: Double) -> Date { hour(days * 24) }

  static func url(_ text: String) throws -> FeedURL { try #require(FeedURL(text)) }

  static func episode(_ guid: String?, _ date: Date? = nil, title: String? = nil) -> Episode {
    Episode(
      guid: guid, title: title ?? guid ?? "", date: date,
      enclosure: Enclosure(url: "https://media.example/\(title ?? guid ?? "").mp3"))
  }
}

import PodcastKit

/// The objects that commands write with `--json`: each member stands here once, and the schemas and
/// the pages of the documents come from it.
enum JSONForms {
  /// A podcast.
  static let podcast = JSONForm { podcastMembers }

  static let podcastMembers: [JSONMember<Podcast>] = members {
    JSONMember("id", .integer, \.id)
    JSONMember("title", .string, \.shownTitle)
    JSONMember("feedUrl", .address, \.feedURL?.text)
  }

  /// An episode.
  static let episode = JSONForm { episodeMembers }

  static let episodeMembers: [JSONMember<Episode>] = members {
    JSONMember("id", .integer, \.id)
    JSONMember("guid", .string, \.guid)
    JSONMember("title", .string, \.title)
    JSONMember("date", .date, \.date)
  }

  /// An error in the form of the contract.
  static let error = JSONForm<PodgetError> {
    JSONMember("code", .word, \.code)
    JSONMember("message", .string, \.sentence)
    JSONMember("httpStatus", .integer) { $0.code == .httpStatus ? $0.httpStatus : nil }
  }

  /// Members that more than one object has.
  static func members<Subject>(
    @JSONMembers<Subject> _ members: () -> [JSONMember<Subject>]
  ) -> [JSONMember<Subject>] { members() }
}

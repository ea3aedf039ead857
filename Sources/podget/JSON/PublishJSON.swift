import PodcastKit

/// What `publish` writes.
extension JSONForms {
  /// An element of `publish`: a podcast that is served.
  static let servedPodcast = JSONForm<PublicationRun.Published> {
    JSONMember("podcast", podcast, \.podcast)
    JSONMember("feed", .address, \.feed)
    JSONMember("page", .address, \.page)
    JSONMember("episodes", .count, \.episodes)
    JSONMember("bytes", .count, \.bytes)
    JSONMember("written", .count, \.written)
  }
}

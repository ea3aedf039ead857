import PodcastKit

/// What `grep` writes.
extension JSONForms {
  /// An element of `grep`: a text with a match.
  static let foundText = JSONForm<FoundText> {
    JSONMember("podcast", podcast, \.episode.podcast)
    JSONMember("episode", episode, \.episode.episode)
    JSONMember("path", .string, \.episode.path)
    JSONMember("status", .word, \.episode.status)
    JSONMember("in", .word, \.part)
    JSONMember("text", .string, \.text)
    JSONMember("match", .string) { String($0.text[$0.match]) }
    JSONMember("start", .seconds, \.start)
    JSONMember("speaker", .string, \.speaker)
  }
}

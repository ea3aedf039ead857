import PodcastKit

/// The lines of `tag`.
extension JSONForms {
  static let taggedFile = JSONForm<TaggedFile> {
    JSONMember("podcast", podcast, \.local.podcast)
    JSONMember("episode", episode, \.local.episode)
    JSONMember("path", .string, \.local.path)
    JSONMember("status", .word, \.status)
    JSONMember("added", JSONForm<String>.words(TagProgram.names).list, \.added)
    JSONMember("problem", .string, \.problem)
    JSONMember("bytes", .count, \.local.bytes)
    JSONMember("sha256", .string, \.local.sha256)
    JSONMember("error", error, \.error)
  }
}

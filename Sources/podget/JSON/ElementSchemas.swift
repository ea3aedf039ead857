import PodcastKit

/// The schemas of the values that commands write, next to the mappings that write them.
extension JSONSchemas {
  static let podcast = JSONSchema.object([
    "id": JSONSchema.optionalInteger, "title": JSONSchema.string,
    "feedUrl": JSONSchema.optionalString,
  ])

  static let episode = JSONSchema.object([
    "id": JSONSchema.optionalInteger, "guid": JSONSchema.optionalString,
    "title": JSONSchema.string, "date": JSONSchema.optionalDate,
  ])

  static let error = JSONSchema.object([
    "code": JSONSchema.words(PodgetError.Code.allCases.map(\.rawValue)),
    "message": JSONSchema.string, "httpStatus": JSONSchema.optionalInteger,
  ])

  /// An element of `list`, and of the commands that change the library's episodes.
  static let localEpisode = JSONSchema.object(localMembers)

  /// An element of `list`.
  static let listedEpisode = localEpisode.addingMembers(["keptUntil": JSONSchema.optionalDate])

  /// An element of `trash`.
  static let trashedFile = JSONSchema.object([
    "podcast": JSONSchema.optional(podcast), "episode": JSONSchema.optional(episode),
    "path": JSONSchema.string, "bytes": JSONSchema.count, "keptUntil": JSONSchema.optionalDate,
  ])

  /// An element of `prune`.
  static let prunedEpisode = localEpisode.addingMembers([
    "decision": JSONSchema.words(["remove", "keep"]),
    "reason": JSONSchema.wordsOrNull(
      RetentionPolicy.Rule.allCases.map(\.rawValue) + ["starred", "partial", "missing"]),
    "frees": JSONSchema.count, "error": JSONSchema.optional(error),
  ])

  /// An element of `show`.
  static let publishedEpisode = JSONSchema.object([
    "podcast": podcast.addingMembers([
      "author": JSONSchema.optionalString, "artworkUrl": JSONSchema.optionalString,
    ])
    .addingOptionalMember("medium", JSONSchema.optionalString)
    .addingOptionalMember("locked", JSONSchema.bool)
    .addingOptionalMember(
      "funding",
      JSONSchema.array(
        of: JSONSchema.object(["url": JSONSchema.string, "title": JSONSchema.string]))),
    "episode": episode.addingMembers([
      "duration": JSONSchema.optionalNumber, "url": JSONSchema.string,
      "mimeType": JSONSchema.optionalString, "length": JSONSchema.optionalCount,
      "season": JSONSchema.optionalInteger, "number": JSONSchema.optionalInteger,
      "type": JSONSchema.words(Episode.Kind.allCases.map(\.rawValue)),
      "artworkUrl": JSONSchema.optionalString, "link": JSONSchema.optionalString,
    ]),
    "status": JSONSchema.words(["remote"] + LocalEpisode.Status.allCases.map(\.rawValue)),
  ]).addingOptionalMember("details", episodeDetails)

  /// What `show --details` adds.
  private static let episodeDetails = JSONSchema.object([
    "description": JSONSchema.optionalString, "text": JSONSchema.optionalString,
    "chaptersUrl": JSONSchema.optionalString,
    "chapters": JSONSchema.array(
      of: JSONSchema.object([
        "start": JSONSchema.number, "title": JSONSchema.string, "url": JSONSchema.optionalString,
      ])),
    "transcripts": JSONSchema.array(
      of: JSONSchema.object([
        "url": JSONSchema.string, "type": JSONSchema.optionalString,
        "language": JSONSchema.optionalString,
      ])),
    "persons": JSONSchema.array(
      of: JSONSchema.object([
        "name": JSONSchema.string, "role": JSONSchema.string, "url": JSONSchema.optionalString,
      ])),
    "explicit": ["type": .array(["boolean", "null"])],
  ])

  /// An element of `search`.
  static let foundPodcast = JSONSchema.object([
    "id": JSONSchema.optionalInteger, "title": JSONSchema.string,
    "author": JSONSchema.optionalString, "feedUrl": JSONSchema.optionalString,
    "artworkUrl": JSONSchema.optionalString, "episodeCount": JSONSchema.optionalCount,
  ])

  /// An element of `verify`.
  static let finding = JSONSchema.object([
    "path": JSONSchema.string, "podcast": podcast, "episode": JSONSchema.optional(episode),
    "status": JSONSchema.words(FileFinding.Status.allCases.map(\.rawValue)),
    "problem": JSONSchema.optionalString, "bytes": JSONSchema.count,
    "sha256": JSONSchema.optionalString, "duration": JSONSchema.optionalNumber,
    "publishedDuration": JSONSchema.optionalNumber, "repaired": JSONSchema.bool,
  ])

  /// An element of `adopt`.
  static let adoption = JSONSchema.object([
    "file": JSONSchema.string, "path": JSONSchema.optionalString,
    "podcast": JSONSchema.optional(podcast), "episode": JSONSchema.optional(episode),
    "status": JSONSchema.words(["adopted", "planned", "known", "unmatched"]),
    "reason": JSONSchema.optionalString, "bytes": JSONSchema.optionalCount,
    "sha256": JSONSchema.optionalString,
  ])

  /// An element of `rename`.
  static let renamedFile = JSONSchema.object([
    "podcast": podcast, "episode": episode, "from": JSONSchema.string, "to": JSONSchema.string,
    "status": JSONSchema.words(["planned", "moved", "failed"]),
    "error": JSONSchema.optional(error),
  ])

  private static let localMembers: KeyValuePairs<String, JSONValue> = [
    "podcast": podcast,
    "episode": episode.addingMembers(["duration": JSONSchema.optionalNumber]),
    "path": JSONSchema.string, "bytes": JSONSchema.count, "total": JSONSchema.optionalCount,
    "status": JSONSchema.words(LocalEpisode.Status.allCases.map(\.rawValue)),
    "starred": JSONSchema.bool, "played": JSONSchema.bool,
    "position": JSONSchema.optionalNumber, "downloadedAt": JSONSchema.optionalDate,
    "sha256": JSONSchema.optionalString,
  ]
}

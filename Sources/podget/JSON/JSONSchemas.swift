import PodcastKit

/// The JSON Schemas of what commands write with `--json`.
enum JSONSchemas {
  /// The schema of each command, in the order of their names. Those of `artwork`, `download`,
  /// `resume` and `sync` describe one line, the others describe all of standard output.
  static let all: KeyValuePairs<String, JSONValue> = [
    "adopt": document("adopt", JSONSchema.array(of: adoption)),
    "artwork": document("artwork", JSONSchema.oneOf(artworkEvents)),
    "config": document("config", configuration),
    "doctor": document("doctor", report),
    "download": document("download", JSONSchema.oneOf(events)),
    "edit": document("edit", JSONSchema.array(of: localEpisode)),
    "import": document("import", JSONSchema.array(of: subscriptionChange)),
    "list": document("list", JSONSchema.array(of: listedEpisode)),
    "mark": document("mark", JSONSchema.array(of: localEpisode)),
    "pause": document("pause", JSONSchema.array(of: subscriptionChange)),
    "prune": document("prune", JSONSchema.array(of: prunedEpisode)),
    "remove": document("remove", JSONSchema.array(of: localEpisode)),
    "rename": document("rename", JSONSchema.array(of: renamedFile)),
    "restore": document("restore", JSONSchema.array(of: localEpisode)),
    "resume": document("resume", JSONSchema.oneOf(events)),
    "search": document("search", JSONSchema.array(of: foundPodcast)),
    "show": document("show", JSONSchema.array(of: publishedEpisode)),
    "star": document("star", JSONSchema.array(of: localEpisode)),
    "status": document("status", status),
    "subscribe": document("subscribe", JSONSchema.array(of: subscriptionChange)),
    "subscriptions": document("subscriptions", JSONSchema.array(of: subscription)),
    "sync": document("sync", JSONSchema.oneOf(syncEvents)),
    "trash": document("trash", JSONSchema.array(of: trashedFile)),
    "unpause": document("unpause", JSONSchema.array(of: subscriptionChange)),
    "unstar": document("unstar", JSONSchema.array(of: localEpisode)),
    "unsubscribe": document("unsubscribe", JSONSchema.array(of: subscriptionChange)),
    "verify": document("verify", JSONSchema.array(of: finding)),
  ]

  /// The schema of a command, or all of them as one object with a member for each command.
  static func text(_ command: String?) -> String {
    guard let command else {
      return JSONText.indented(
        .object(all.map { JSONValue.Member(name: $0.key, value: $0.value) }))
    }
    let name = CommandNames.aliases[command] ?? command
    return all.first { $0.key == name }.map { JSONText.indented($0.value) } ?? ""
  }

  private static func document(_ command: String, _ schema: JSONValue) -> JSONValue {
    guard case .object(let members) = schema else { return schema }
    return .object(
      [
        JSONValue.Member(
          name: "$schema", value: "https://json-schema.org/draft/2020-12/schema"),
        JSONValue.Member(name: "title", value: .string("podget \(command) --json")),
      ] + members)
  }
}

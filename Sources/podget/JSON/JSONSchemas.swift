import PodcastKit

/// The JSON Schemas of what commands write with `--json`.
enum JSONSchemas {
  /// The schema of each command, in the order of their names. Those of `artwork`, `download`,
  /// `resume`, `sync` and `tag` describe one line, the others describe all of standard output.
  static let all: KeyValuePairs<String, JSONValue> = [
    "account": document(
      "account",
      JSONSchema.array(
        of: JSONSchema.oneOf([JSONForms.account.schema, JSONForms.accountReport.schema]))),
    "adopt": document("adopt", JSONForms.adoption.list.schema),
    "artwork": document(
      "artwork",
      JSONSchema.oneOf([
        JSONForms.arrivedArtwork.schema, JSONForms.missedArtwork.schema,
        JSONForms.artworkSummary.schema,
      ])),
    "config": document("config", JSONForms.configuration.schema),
    "doctor": document(
      "doctor", JSONSchema.oneOf([JSONForms.serverReport.schema, JSONForms.feedReport.schema])),
    "download": document("download", JSONSchema.oneOf(JSONForms.runSchemas)),
    "edit": document("edit", JSONForms.localEpisode.list.schema),
    "grep": document("grep", JSONForms.foundText.list.schema),
    "import": document("import", JSONForms.subscriptionChange.list.schema),
    "list": document("list", JSONForms.listedEpisode.list.schema),
    "mark": document("mark", JSONForms.localEpisode.list.schema),
    "merge": document("merge", JSONForms.mergedPodcast.list.schema),
    "new": document("new", JSONForms.publishedEpisode.list.schema),
    "pause": document("pause", JSONForms.subscriptionChange.list.schema),
    "prune": document("prune", JSONForms.prunedEpisode.list.schema),
    "publish": document("publish", JSONForms.servedPodcast.list.schema),
    "remove": document("remove", JSONForms.localEpisode.list.schema),
    "rename": document("rename", JSONForms.renamedFile.list.schema),
    "restore": document("restore", JSONForms.localEpisode.list.schema),
    "resume": document("resume", JSONSchema.oneOf(JSONForms.runSchemas)),
    "search": document("search", JSONForms.foundPodcast.list.schema),
    "show": document("show", JSONForms.publishedEpisode.list.schema),
    "star": document("star", JSONForms.localEpisode.list.schema),
    "status": document("status", JSONForms.status.schema),
    "subscribe": document("subscribe", JSONForms.subscriptionChange.list.schema),
    "subscriptions": document("subscriptions", JSONForms.subscription.list.schema),
    "sync": document("sync", JSONSchema.oneOf(JSONForms.syncSchemas)),
    "tag": document("tag", JSONForms.taggedFile.schema),
    "trash": document("trash", JSONForms.trashedFile.list.schema),
    "unpause": document("unpause", JSONForms.subscriptionChange.list.schema),
    "unstar": document("unstar", JSONForms.localEpisode.list.schema),
    "unsubscribe": document("unsubscribe", JSONForms.subscriptionChange.list.schema),
    "verify": document("verify", JSONForms.finding.list.schema),
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

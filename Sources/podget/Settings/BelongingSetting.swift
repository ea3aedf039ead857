import PodcastKit

/// What is stored beside episodes.
extension SettingTable {
  static let with = Setting<Belongings>(
    "with",
    "what is stored beside episodes: transcripts, chapters, notes, artwork, cover, all or none",
    SettingForm<Belongings>(
      .text, json: JSONForm(schema: JSONSchema.string) { .string($0.text) },
      read: { text throws(SettingProblem) in
        guard let belongings = try? Belongings(option: text) else {
          throw .takes("all, none or a list of transcripts, chapters, notes, artwork and cover")
        }
        return belongings
      }), example: "transcripts,chapters", standardText: "none, or cover with a layout"
  ) { sources in
    // Media servers show it.
    try sources.given(layout)?.value == nil ? .none : Belongings([.cover])
  }
}

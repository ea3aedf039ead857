/// A media file of another tool, and everything that tells which episode it is.
public struct FoundFile: Sendable, Hashable {
  /// Its path, as the folder was named.
  public var path: String
  /// Its length in bytes.
  public var bytes: Int64
  /// What its own tags say.
  public var tags = EpisodeTags()
  /// How long it plays, where its format tells it.
  public var duration: Duration?
  /// The usual extension of what its bytes are.
  var fileExtension: String
  var sidecar: Sidecar?

  /// Its name without extension.
  var stem: String { FileName.stem(of: name) }

  /// Its name.
  var name: String { String(path.split(separator: "/").last ?? "") }

  /// The titles that podcasts of it may have: by its tags, by what lies beside it, by its folders.
  var podcastTitles: [String] {
    let folders = path.split(separator: "/").dropLast().suffix(2).reversed().map(String.init)
    return [tags.album, sidecar?.podcast].compactMap(\.self) + folders
  }

  /// The titles that it may have itself, the surest first; parts of its name are given without the
  /// day before them and the id in brackets behind them.
  var titles: [String] {
    var titles = [tags.title, sidecar?.title].compactMap(\.self)
    var stem = stem
    if stem.hasSuffix("]"), let bracket = stem.lastIndex(of: "[") {
      titles.append(stem)
      stem = String(stem[..<bracket])
    }
    titles.append(stem)
    if let (_, rest) = FileDay.leading(stem), !rest.isEmpty { titles.append(rest) }
    return titles
  }

  /// The days of publication that something says, each once.
  var days: Set<CivilDay> {
    Set(
      [sidecar?.day, tags.date.flatMap(FileDay.day), FileDay.leading(stem)?.day]
        .compactMap(\.self))
  }
}

import FoundationEssentials

@testable import PodcastLibrary
@testable import PodcastModel

/// Records of folders, unfinished downloads and renames, as another program may have written them.
enum RecordsFuzzing {
  static func run(_ input: inout FuzzInput) throws {
    let kind = input.choice(3)
    let data = Data(input.remaining())
    switch kind {
    case 0: try folder(data)
    case 1: try partial(data)
    default: try moves(data)
    }
  }

  private static func folder(_ data: Data) throws {
    let contents = contents(of: data)
    guard let show = RelativePath("Show") else {
      throw FuzzFailure(description: "There is no path.")
    }
    for entry in contents.entries {
      guard let file = RecordedFile(entry, in: show) else { continue }
      try FuzzFailure.require(
        !file.name.contains("/"), "The file \(file.name) lies in another folder.")
      let episode = file.plan.episode
      _ = episode.date?.timestamp
      _ = StoredEpisode(episode)
    }
    if let shorter = RecordCompaction.compacted(data) {
      let again = self.contents(of: shorter)
      func byKey(_ contents: FolderContents) -> [EpisodeKey: FolderContents.Entry] {
        Dictionary(contents.entries.map { ($0.key, $0) }) { first, _ in first }
      }
      try FuzzFailure.require(
        again.podcast == contents.podcast && byKey(again) == byKey(contents),
        "The shorter record says something else.")
      try FuzzFailure.require(shorter.count <= data.count + 1, "The shorter record is longer.")
    }
  }

  private static func contents(of data: Data) -> FolderContents {
    var reading = RecordLog<FolderFact>.Reading()
    let decoder = JSONDecoder()
    for line in data.split(separator: 0x0A) { reading.take(Data(line), at: 0, decoder) }
    return FolderContents(reading.lines)
  }

  private static func partial(_ data: Data) throws {
    guard let record = (try? PartialFolder.record(data)) ?? nil else { return }
    let plan = record.plan
    _ = plan.episode.date?.timestamp
    let encoder = JSONEncoder()
    let again = try PartialFolder.record(try encoder.encode(record))
    try FuzzFailure.require(again == record, "Written and read, it says something else.")
  }

  private static func moves(_ data: Data) throws {
    let moves = data.split(separator: 0x0A).compactMap {
      try? JSONDecoder().decode(FileMove.self, from: Data($0))
    }
    for move in moves {
      for path in [move.from.text, move.to.text] {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        try FuzzFailure.require(
          path.isEmpty || parts.allSatisfy { !$0.isEmpty && !$0.hasPrefix(".") },
          "The path \(path) leads elsewhere.")
      }
    }
    // Where every file goes from is different, every one of them arrives.
    guard Set(moves.map { $0.from }).count == moves.count, moves.count <= 50 else { return }
    let ordered = FileMove.ordered(moves)
    let arrived = Set(ordered.map { "\($0.key) \($0.to)" })
    for move in moves {
      try FuzzFailure.require(arrived.contains("\(move.key) \(move.to)"), "\(move.to) is lost.")
    }
  }
}

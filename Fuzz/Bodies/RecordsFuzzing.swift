import FoundationEssentials

@testable import PodcastKit

/// Records of folders, of unfinished downloads and of renamings, as somebody else may have written them.
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
    let contents = FolderContents(FolderRecords.facts(in: data))
    for entry in contents.entries {
      guard let file = RecordedFile(entry, in: "Show") else { continue }
      try FuzzFailure.require(
        !file.name.contains("/"), "The file \(file.name) lies in another folder.")
      let episode = file.plan.episode
      _ = episode.date?.timestamp
      _ = StoredEpisode(episode)
    }
    if let shorter = RecordCompaction.compacted(data) {
      let again = FolderContents(FolderRecords.facts(in: shorter))
      func byKey(_ contents: FolderContents) -> [String: FolderContents.Entry] {
        Dictionary(contents.entries.map { ($0.key, $0) }) { first, _ in first }
      }
      try FuzzFailure.require(
        again.podcast == contents.podcast && byKey(again) == byKey(contents),
        "The shorter record says something else.")
      try FuzzFailure.require(shorter.count <= data.count + 1, "The shorter record is longer.")
    }
  }

  private static func partial(_ data: Data) throws {
    guard let record = try? JSONDecoder().decode(PartialRecord.self, from: data) else { return }
    let plan = record.plan
    _ = plan.episode.date?.timestamp
    let encoder = JSONEncoder()
    let again = try JSONDecoder().decode(PartialRecord.self, from: try encoder.encode(record))
    try FuzzFailure.require(again == record, "Written and read, it says something else.")
  }

  private static func moves(_ data: Data) throws {
    let moves = data.split(separator: 0x0A).compactMap {
      try? JSONDecoder().decode(FileMove.self, from: Data($0))
    }
    let contained = moves.filter(\.isContained)
    for move in contained {
      for path in [move.from, move.to] {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        try FuzzFailure.require(
          !parts.isEmpty && parts.allSatisfy { !$0.isEmpty && !$0.hasPrefix(".") },
          "The path \(path) leads elsewhere.")
      }
    }
    // Where every file goes from is different, every one of them arrives.
    guard Set(contained.map { $0.from }).count == contained.count, contained.count <= 50 else {
      return
    }
    let ordered = FileMove.ordered(contained)
    let arrived = Set(ordered.map { "\($0.key) \($0.to)" })
    for move in contained {
      try FuzzFailure.require(arrived.contains("\(move.key) \(move.to)"), "\(move.to) is lost.")
    }
  }
}

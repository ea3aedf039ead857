public import PodcastModel

/// A file of the library that gets another name: one line of the plan that undoes a rename.
public struct FileMove: Codable, Sendable, Hashable {
  /// The key of the episode whose file it is.
  public var key: EpisodeKey
  /// Its path below the library now.
  public var from: RelativePath
  /// Its path below the library afterwards.
  public var to: RelativePath

  /// Creates a move.
  public init(key: EpisodeKey, from: RelativePath, to: RelativePath) {
    self.key = key
    self.from = from
    self.to = to
  }

  /// The move that undoes this one.
  public var reversed: FileMove { FileMove(key: key, from: to, to: from) }
}

extension FileMove {
  /// The moves in an order in which every new name is free. If names are exchanged in a circle, one
  /// file gets a temporary name.
  package static func ordered(_ moves: [FileMove]) -> [FileMove] {
    // Files with the same old and new folder move together.
    let moves = moves.sorted {
      (LibraryPath.split($0.from.text).folder, $0.to.text)
        < (LibraryPath.split($1.from.text).folder, $1.to.text)
    }
    var waiting: [ComparableName: Int] = [:]
    for (index, move) in moves.enumerated() { waiting[comparable(move.from)] = index }
    var ordered: [FileMove] = []
    var isDone = Array(repeating: false, count: moves.count)
    for start in moves.indices where !isDone[start] {
      // Each file of the chain waits for the next one to leave.
      var chain = [start]
      var isInChain: Set<Int> = [start]
      while let last = chain.last, let next = waiting[comparable(moves[last].to)], !isDone[next],
        isInChain.insert(next).inserted
      {
        chain.append(next)
      }
      if let last = chain.last, let blocking = waiting[comparable(moves[last].to)],
        !isDone[blocking], blocking != last
      {
        let aside = moves[blocking].aside
        ordered.append(FileMove(key: aside.key, from: moves[blocking].from, to: aside.from))
        ordered += chain.reversed().filter { $0 != blocking }.map { moves[$0] }
        ordered.append(aside)
      } else {
        ordered += chain.reversed().map { moves[$0] }
      }
      for index in chain { isDone[index] = true }
    }
    return ordered
  }

  /// The same move from the temporary name of the file.
  private var aside: FileMove { FileMove(key: key, from: interim, to: to) }

  /// The temporary path of the file, which no template creates.
  package var interim: RelativePath {
    let (folder, name) = LibraryPath.split(from.text)
    let stem = FileName.stem(of: name)
    // If the path is too long for that, the file stays where it is, and the one after it too.
    return RelativePath(
      LibraryPath.join(folder, "moving \(key)\(name.dropFirst(stem.count))")) ?? from
  }

  /// A path in the form in which file systems that ignore case and Unicode forms compare it.
  package static func comparable(_ path: RelativePath) -> ComparableName {
    let (folder, name) = LibraryPath.split(path.text)
    return ComparableName(folder: folder, name: name)
  }
}

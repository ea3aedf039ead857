import PodcastModel

/// The names that a template gives to files in the library, before conflicts are resolved.
///
/// Names can conflict within a folder only, so they are resolved folder by folder: the memory for
/// that is needed for one folder at a time.
struct WantedNames {
  private struct Item {
    /// The position of the episode among those to move.
    var place: Int32
    var folder: Int32
    var key: EpisodeKey
    var stem: String
  }

  private var items: [Item] = []
  private var folders: [String] = []
  private var numbers: [String: Int32] = [:]
  /// The episodes, which release their names.
  private var keys: Set<EpisodeKey> = []

  /// Adds the new name of the episode at a position.
  mutating func add(_ place: Int, _ key: EpisodeKey, _ name: FilenameTemplate.Name) {
    guard let place = Int32(exactly: place), keys.insert(key).inserted else { return }
    let folder: Int32
    if let last = items.last?.folder, folders[Int(last)] == name.folder {
      folder = last
    } else {
      folder = numbers[name.folder] ?? Int32(folders.count)
      if Int(folder) == folders.count {
        numbers[name.folder] = folder
        folders.append(name.folder)
      }
    }
    items.append(Item(place: place, folder: folder, key: key, stem: name.stem))
  }

  /// The moves to names without conflicts with each other and with everything that stays, in the
  /// order in which the names were added. Afterwards nothing is left to move.
  ///
  /// - Parameter episodes: the episodes of the positions.
  /// - Throws: a ``PodgetError`` with the code `disk` when a folder or its record cannot be read.
  mutating func moves(
    of episodes: [LocalEpisode], by template: FilenameTemplate, in library: Library,
    _ reading: LibraryReading
  ) throws(PodgetError) -> [FileMove] {
    guard !items.isEmpty else { return [] }
    var spelling = FolderSpelling(of: library.root)
    folders = folders.map { spelling.spelled($0) }
    if !reading.errors.isEmpty {
      // Names may be recorded there that the reading does not have.
      let leaving = items.lazy.map { LibraryPath.split(episodes[Int($0.place)].path).folder }
      for folder in Set(leaving).union(folders) { try library.requireReadableRecord(in: folder) }
    }
    let recorded = RecordedNames(reading)
    let planned = library.plannedNames(reading.unfinished, without: keys.contains)
    let planner = NamePlanner(template: template)
    var moves = [FileMove?](repeating: nil, count: items.count)
    for group in groups {
      var taken = TakenNames()
      taken.add(planned)
      for folder in Set(group.map { items[Int($0)].folder }) {
        taken.add(
          try recorded.taken(in: folders[Int(folder)], of: library, isLeaving: keys.contains))
      }
      let wanted = group.map { number in
        let item = items[Int(number)]
        return (
          key: item.key.text,
          name: FilenameTemplate.Name(folder: folders[Int(item.folder)], stem: item.stem)
        )
      }
      for (number, name) in zip(group, planner.names(wanted, taken: taken)) {
        let item = items[Int(number)]
        moves[Int(number)] = episodes[Int(item.place)].move(to: name, key: item.key)
        // Its memory is needed for the next paths.
        items[Int(number)].stem = ""
      }
    }
    items = []
    return moves.compactMap(\.self)
  }

  /// The numbers of the items by folder; folders that are one to some file system count as one.
  private var groups: [[Int32]] {
    var groups: [[Int32]] = []
    var places: [String: Int] = [:]
    let groupOfFolder = folders.map { folder in
      let comparable = FileName.comparisonKey(folder)
      if let place = places[comparable] { return place }
      places[comparable] = groups.endIndex
      groups.append([])
      return groups.endIndex - 1
    }
    for (number, item) in items.enumerated() {
      groups[groupOfFolder[Int(item.folder)]].append(Int32(number))
    }
    return groups
  }
}

extension LocalEpisode {
  /// The move that gives its file a name; nil if it already has that name.
  fileprivate func move(to name: FilenameTemplate.Name, key: EpisodeKey) -> FileMove? {
    let path = path
    let file = LibraryPath.split(path).name
    let ending = String(file.utf8.dropFirst(FileName.stem(of: file).utf8.count + 1)) ?? ""
    let wanted = LibraryPath.join(name.folder, stem: name.stem, ending: ending)
    guard let from = RelativePath(path), let to = RelativePath(wanted), to != from else {
      return nil
    }
    return FileMove(key: key, from: from, to: to)
  }
}

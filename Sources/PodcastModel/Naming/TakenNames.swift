/// The names below a library that are not free: files on the disk and names recorded for episodes.
package struct TakenNames: Sendable {
  /// The owners of each name in its comparison form; a nil owner is a file of nobody we know.
  private var owners: [ComparableName: Set<String?>] = [:]
  private var recordedNames: [String: (folder: String, stem: String)] = [:]
  /// Names that are taken besides; shared, since they may be very many.
  private var others: [TakenNames] = []

  /// Nothing is taken.
  package init() {}

  /// Takes a file's name.
  ///
  /// - Parameters:
  ///   - folder: the folder below the library, with `/` between its parts; may be empty.
  ///   - name: the file name with its extension.
  ///   - owner: the key of the episode whose file it is; nil for a foreign file.
  package mutating func add(folder: String, name: String, owner: String?) {
    let stem = FileName.stem(of: name)
    // A name may end in what only looks like an extension.
    if owner == nil { take(folder: folder, name: name, owner: nil) }
    add(folder: folder, stem: stem, owner: owner)
  }

  /// Takes a name without an extension, as a plan records it; for an owner, the latest one counts.
  package mutating func add(folder: String, stem: String, owner: String?) {
    take(folder: folder, name: stem, owner: owner)
    // What is no name of podget's is nobody's.
    guard let owner, PlannedFile(folder: folder, stem: stem, fileExtension: "") != nil else {
      return
    }
    recordedNames[owner] = (folder, stem)
  }

  /// Takes all that others have taken. A name that is recorded here for an episode counts more.
  package mutating func add(_ names: TakenNames) { others.append(names) }

  /// The name recorded for an episode, which it keeps.
  package func recorded(_ key: String) -> (folder: String, stem: String)? {
    recordedNames[key] ?? others.lazy.compactMap { $0.recorded(key) }.first
  }

  /// The same without what is taken for the owners.
  func releasing(_ released: Set<String>) -> TakenNames {
    var taken = self
    taken.owners = owners.mapValues { names in
      names.filter { owner in owner.map { !released.contains($0) } ?? true }
    }
    taken.recordedNames = recordedNames.filter { !released.contains($0.key) }
    taken.others = others.map { $0.releasing(released) }
    return taken
  }

  /// Whether a name is free for an episode: nobody has it, or only the episode itself.
  package func isFree(folder: String, stem: String, for key: String) -> Bool {
    isFree(ComparableName(folder: folder, name: stem), for: key)
  }

  func isFree(_ name: ComparableName, for key: String) -> Bool {
    (owners[name]?.allSatisfy { $0 == key } ?? true)
      && others.allSatisfy { $0.isFree(name, for: key) }
  }

  private mutating func take(folder: String, name: String, owner: String?) {
    owners[ComparableName(folder: folder, name: name), default: []].insert(owner)
  }
}

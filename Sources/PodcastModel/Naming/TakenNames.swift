/// The names below a library that are not free: files on the disk and names recorded for episodes.
package struct TakenNames: Sendable {
  /// Who may still use a taken name.
  private enum Owner {
    /// One episode, by its key.
    case one(String)
    /// Nobody: it belongs to an unknown file, or to several episodes.
    case others
  }

  /// The owners of the names in their comparison form.
  private var owners: [ComparableName: Owner] = [:]
  private var recordedNames: [String: (folder: String, stem: String)] = [:]
  /// Further taken names; shared, because there may be very many.
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
    // A name may end in something that only looks like an extension.
    if owner == nil { take(folder: folder, name: name, owner: nil) }
    add(folder: folder, stem: stem, owner: owner)
  }

  /// Takes a name without an extension, as a plan records it; for an owner, the latest one counts.
  package mutating func add(folder: String, stem: String, owner: String?) {
    take(folder: folder, name: stem, owner: owner)
    // A name that podget would not create belongs to nobody.
    guard let owner, PlannedFile(folder: folder, stem: stem, fileExtension: "") != nil else {
      return
    }
    recordedNames[owner] = (folder, stem)
  }

  /// Takes all names of another value. A name that is recorded here for an episode has priority.
  package mutating func add(_ names: TakenNames) { others.append(names) }

  /// The name recorded for an episode, which it keeps.
  package func recorded(_ key: String) -> (folder: String, stem: String)? {
    recordedNames[key] ?? others.lazy.compactMap { $0.recorded(key) }.first
  }

  /// Whether a name is free for an episode: it is not taken, or only by the episode itself.
  package func isFree(folder: String, stem: String, for key: String) -> Bool {
    isFree(ComparableName(folder: folder, name: stem), for: key)
  }

  func isFree(_ name: ComparableName, for key: String) -> Bool {
    if let owner = owners[name] {
      guard case .one(let other) = owner, other == key else { return false }
    }
    return others.allSatisfy { $0.isFree(name, for: key) }
  }

  private mutating func take(folder: String, name: String, owner: String?) {
    let name = ComparableName(folder: folder, name: name)
    guard let owner else {
      owners[name] = .others
      return
    }
    switch owners[name] {
    case nil: owners[name] = .one(owner)
    case .one(owner): break
    default: owners[name] = .others
    }
  }
}

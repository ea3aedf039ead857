import FoundationEssentials
import Glibc
import PodcastFeeds
public import PodcastLibrary
public import PodcastModel
import PodcastTransfer

/// The files about podcasts in their folders, as a layout for a media server has them.
///
/// They say nothing that the records do not, so they are written again whenever a podcast's files have
/// changed, and those of another layout, or of a former name of the folder, are removed. A file that podget
/// did not write, or that was changed since, stays as it is.
public struct PodcastSidecars: Sendable {
  private let library: Library
  private let layout: MediaLayout

  /// Creates the files of a layout in a library.
  public init(of layout: MediaLayout, in library: Library) {
    (self.layout, self.library) = (layout, library)
  }

  /// Writes the files of podcasts that are not as they should be. It blocks on the disk.
  ///
  /// - Parameters:
  ///   - folders: the folders at the top of the library whose podcasts have changed.
  ///   - episodes: all episodes of the library, as they are now.
  ///   - podcasts: which of their podcasts are one: records keep the titles of their time.
  /// - Returns: what could not be written, and what is left alone, in a sentence each.
  package func refresh(
    _ folders: Set<EntryName>, of episodes: [LocalEpisode], _ podcasts: LibraryPodcasts
  ) -> [PodgetError] {
    var complete: [EntryName: [LocalEpisode]] = [:]
    for local in episodes where local.status == .complete {
      guard let top = Self.top(of: local.path), folders.contains(top) else { continue }
      complete[top, default: []].append(local)
    }
    let subscribed = SubscribedSettings(of: library, counting: [])
    var problems: [PodgetError] = []
    for folder in folders.sorted(by: { $0.text < $1.text }) {
      do throws(DiskError) {
        try refresh(folder, complete[folder] ?? [], podcasts, subscribed, &problems)
      } catch {
        problems.append(error.podgetError)
      }
    }
    return problems
  }

  /// The folder at the top of the library that a path leads through; nil for a file at the top.
  public static func top(of path: String) -> EntryName? {
    let parts = LibraryPath.parts(path)
    return parts.count > 1 ? parts.first.flatMap(EntryName.init) : nil
  }
}

extension PodcastSidecars {
  private func refresh(
    _ name: EntryName, _ episodes: [LocalEpisode], _ podcasts: LibraryPodcasts,
    _ subscribed: SubscribedSettings, _ problems: inout [PodgetError]
  ) throws(DiskError) {
    guard let path = RelativePath(name.text) else { return }
    let folder: OpenFile
    do throws(DiskError) {
      folder = try OpenFile.folder(path, in: library.root, creating: false)
    } catch {
      // The last file has left, and the folder with it.
      if error.number == ENOENT || error.number == ENOTDIR { return }
      throw error
    }
    let isOne = Set(episodes.lazy.map { podcasts.key(of: $0.podcast) }).count == 1
    let newest = episodes.max { ($0.date ?? .distantPast) < ($1.date ?? .distantPast) }
    // Without episodes there is nothing to say; of a folder with several podcasts nothing is true.
    let wanted = isOne ? layout.sidecars.map { ($0, name: $0.name(in: name.text)) } : []
    let names = Set(wanted.compactMap { EntryName($0.name) })
    let others = folder.entries().compactMap(EntryName.init).filter { !names.contains($0) }
    for stale in folder.sidecars(among: others) { unlinkat(folder.number, stale.text, 0) }
    guard let newest else { return }
    for (sidecar, file) in wanted {
      guard let before = try folder.content(of: sidecar, as: file) else {
        let here = LibraryPath.join(name.text, file)
        problems.append(
          PodgetError(
            .disk, "\(here) was not written by podget, or was changed since, and stays as it is."))
        continue
      }
      let text = SidecarText.text(
        sidecar, of: newest.podcast, entries(episodes, in: name), as: file,
        isPrivate: subscribed.own(of: newest.podcast).isPrivate)
      guard Data(text.utf8) != before else { continue }
      // One that another program has written since stays.
      if try Self.write(text, as: file, in: folder, replacing: !before.isEmpty) {
        try folder.synchronize(name.text)
      }
    }
  }

  /// Writes a file under a name of its own first: another podget may write the same one.
  ///
  /// - Parameter replacing: whether one with the name is replaced; otherwise it stays.
  /// - Returns: whether it has the name.
  private static func write(
    _ text: String, as name: String, in folder: OpenFile, replacing: Bool
  ) throws(DiskError) -> Bool {
    PartFile.removeLeftCopies(in: folder)
    let copy = try PartFile.newCopy(in: folder)
    do throws(DiskError) {
      try copy.write(Array(text.utf8), at: 0)
      // Other programs read it, as they read the episodes.
      fchmod(copy.file.number, folder.isShared ? 0o664 : 0o644)
      try copy.synchronize()
      if case .renamed = try copy.place(as: name, in: folder, replacing: replacing) { return true }
      copy.removeOwn()
      return false
    } catch {
      copy.removeOwn()
      throw error
    }
  }

  private func entries(_ episodes: [LocalEpisode], in folder: EntryName) -> [SidecarText.Entry] {
    episodes.sorted { first, second in
      let (one, other) = (first.date ?? .distantPast, second.date ?? .distantPast)
      return one != other ? one < other : first.path < second.path
    }.map { local in
      SidecarText.Entry(
        path: String(Substring(local.path.utf8.dropFirst(folder.text.utf8.count + 1))),
        title: local.title,
        duration: local.duration)
    }
  }
}

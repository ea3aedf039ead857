import FoundationEssentials
import Glibc
import PodcastModel
import PodcastTransfer

/// Giving back the files as they were.
extension EpisodeTagger {
  /// Gives back the file of an episode as it was before podget tagged it.
  package func restore(_ local: LocalEpisode) -> TaggedFile {
    let tags: TagFolder?
    do throws(DiskError) {
      tags = try TagFolder(of: library, creating: false)
    } catch {
      return TaggedFile(local, .failed, error: error.podgetError)
    }
    // Most episodes were never tagged; then nothing is locked.
    guard let tags, [.undo, .new, .back].contains(where: { tags.has(local.plan.episodeKey, $0) })
    else { return TaggedFile(local, .unchanged) }
    return withFile(of: local) { episode throws(LockedEpisode.Refusal) in
      try restore(local, episode, tags)
    }
  }

  private func restore(
    _ local: LocalEpisode, _ episode: LockedEpisode, _ tags: TagFolder
  ) throws(LockedEpisode.Refusal) -> TaggedFile {
    let found = try disk { () throws(DiskError) in try tags.kept(episode.key, .undo) }
    // Another podget may have been faster.
    guard let kept = found else { return TaggedFile(local, .unchanged) }
    // It was downloaded again since, or accepted with other tags.
    guard kept.tagged.sha256 == episode.entry.sha256?.lowercased() else {
      throw .leftAlone("It is another file than podget tagged, so there is nothing to give back.")
    }
    _ = try recordedChecksum(of: episode)
    if isDryRun { return TaggedFile(local, .planned) }
    let source = TagSource(episode)
    let (copy, _) = try newCopy(of: source)
    defer {
      copy.removeOwn()
      tags.end(episode.key)
    }
    let isMade = try disk { () throws(DiskError) in
      try rebuild(kept, from: episode.file, into: copy)
    }
    // Who can write into a shared library could have put any bytes there.
    guard isMade, let format = try format(of: source),
      let audio = try audio(of: copy, format), try audio == self.audio(of: source.file, format)
    else {
      throw .failed(PodgetError(.disk, "The bytes that were kept of it are not the right ones."))
    }
    try makeDurable(copy, insteadOf: source)
    if flag.isSet { throw .stopped }
    try disk { () throws(DiskError) in
      let audio = AudioProof.known(of: copy)
      try tags.move(kept.key, from: .undo, to: .back)
      try episode.replace(with: copy)
      try episode.record(kept.original, audio, at: now())
      tags.remove(kept.key, .back)
    }
    return TaggedFile(local.with(kept.original), .restored)
  }
}

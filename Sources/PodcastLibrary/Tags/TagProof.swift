internal import CFiles
import PodcastModel
import PodcastTransfer

/// The proof that tags change nothing else, and can be taken back.
extension EpisodeTagger {
  /// What gives back a file from its tagged copy, after the copy was made durable and examined.
  func proved(
    _ copy: PartFile, of source: TagSource, _ sha256: String, _ audio: Audio,
    _ format: TaggedFormat, in tags: TagFolder
  ) throws(LockedEpisode.Refusal) -> (KeptOriginal, AudioProof?) {
    try makeDurable(copy, insteadOf: source)
    guard try self.audio(of: copy, format) == audio else {
      // TagLib 1.13 moves what the index of an MP4 file in several fragments points to.
      throw .leftAlone("Tags would change its audio, so it is left as it is.")
    }
    let found = try disk { () throws(DiskError) in
      try original(of: source, sha256, in: tags) { original, version throws(DiskError) in
        try kept(original, version, in: copy, of: source)
      }
    }
    guard let (kept, proof) = found else {
      throw .leftAlone("Its tags could not be taken back again, so it is left as it is.")
    }
    guard kept.tagged.sha256 != sha256 else {
      throw .failed(PodgetError(.decoding, "Its tags were not written."))
    }
    return (kept, proof)
  }

  /// Gives a copy what a file has besides its bytes, and makes it durable.
  ///
  /// - Throws: a ``TagRefusal`` if a known file would get another owner or group: others could not read it any
  ///   more.
  func makeDurable(
    _ copy: PartFile, insteadOf source: TagSource
  ) throws(LockedEpisode.Refusal) {
    let hasOwner = copy.takeAttributes(of: source.file)
    guard hasOwner || !source.isKnown else {
      throw .leftAlone("Its owner or its group would change, so it is left as it is.")
    }
    try disk { () throws(DiskError) in
      // With the same length and time, programs that copy files would not see that it changed.
      if source.isKnown, try copy.size() == source.bytes {
        copy.setModificationTime(Double(try source.file.status().modified) / 1e9 + 1)
      }
      try copy.synchronize()
    }
  }

  /// What stays as it is when a file gets tags.
  struct Audio: Equatable {
    var sum: String
    var structure: AudioStructure
  }

  func audio(
    of source: TagSource, _ format: TaggedFormat
  ) throws(LockedEpisode.Refusal) -> Audio {
    guard let audio = try audio(of: source.file, format) else {
      throw .leftAlone("podget does not find its audio, so it is left as it is.")
    }
    return audio
  }

  /// The audio of a file; nil if podget does not find it.
  func audio(
    of file: PartFile, _ format: TaggedFormat
  ) throws(LockedEpisode.Refusal) -> Audio? {
    try disk { () throws(DiskError) in
      var bytes = PartBytes(file, length: try file.size(), flag: flag)
      guard try TaggedFormat(of: &bytes) == format,
        let sum = try AudioDigest.sum(of: &bytes, format)
      else { return nil }
      return Audio(sum: sum, structure: try AudioStructure.walk(&bytes))
    }
  }

  /// Passes on the file as it was before podget first tagged it: the file itself, or one that is made
  /// from it.
  private func original<Result>(
    of source: TagSource, _ sha256: String, in tags: TagFolder,
    _ work: (PartFile, KeptOriginal.Version) throws(DiskError) -> Result?
  ) throws(DiskError) -> Result? {
    guard let earlier = try tags.kept(source.key, .undo), earlier.tagged.sha256 == sha256,
      earlier.tagged.bytes == source.bytes
    else {
      return try work(
        source.file, KeptOriginal.Version(bytes: source.bytes, sha256: sha256))
    }
    let file = try PartFile.newCopy(in: source.folder)
    defer { file.removeOwn() }
    guard try rebuild(earlier, from: source.file, into: file) else { return nil }
    return try work(file, earlier.original)
  }

  /// What gives back the original, proved; nil if that is too much.
  private func kept(
    _ original: PartFile, _ version: KeptOriginal.Version, in copy: PartFile,
    of source: TagSource
  ) throws(DiskError) -> (KeptOriginal, AudioProof?)? {
    let tagged = KeptOriginal.Version(
      bytes: try copy.size(), sha256: try copy.sha256 { flag.isSet })
    guard
      let replaced = try ReplacedBytes(of: original, in: copy, isCancelled: { flag.isSet })
    else { return nil }
    let kept = KeptOriginal(
      key: source.key, folder: source.place, file: source.name, original: version,
      tagged: tagged, replaced: replaced)
    let rebuilt = try replaced.rebuild(
      from: copy, bytes: version.bytes, isCancelled: { flag.isSet }
    ) { (_, _) throws(DiskError) in }
    guard rebuilt == version.sha256, kept.data.flatMap(KeptOriginal.init) == kept else {
      return nil
    }
    return (kept, AudioProof.known(of: copy))
  }

  /// Makes the original in an empty file; false if it is not the one that was kept.
  func rebuild(
    _ kept: KeptOriginal, from file: PartFile, into copy: PartFile
  ) throws(DiskError) -> Bool {
    let rebuilt = try kept.replaced.rebuild(
      from: file, bytes: kept.original.bytes, isCancelled: { flag.isSet }
    ) { (bytes, offset) throws(DiskError) in try copy.write(bytes, at: offset) }
    return rebuilt == kept.original.sha256
  }
}

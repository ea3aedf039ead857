package import PodcastModel
package import PodcastTransfer

extension Committer {
  /// One part, complete and synced, that waits for its name.
  package struct Order: Sendable {
    package var plan: DownloadPlan
    package var part: PartFile
    package var log: PartialLog
    /// The recorded name that the file will get, if it is not the planned one.
    package var finalName: EntryName?
    package var fileExtension: String
    package var bytes: Int64
    package var sha256: String?
    /// What proves that its audio is intact when its tags are changed.
    package var audio: AudioProof?
    /// The copy with tags that gets the name in place of the part; nil for the part itself.
    package var tagged: TaggedCopy?
    /// Whether the bytes were sent by a server.
    package var isReceived: Bool
    /// The recorded file that this one replaces, when the user downloads it again on purpose.
    package var replaces: RelativePath?
    /// Whether a person asked for this very episode, so that no rule of `sync` removes it.
    package var isKept = false
    /// What a person has said of the episode in another program.
    package var marks: [EpisodeMark] = []
    /// Stops a copy to another file system and a wait for another process's lock.
    package var flag: CancelFlag

    package init(
      plan: DownloadPlan, part: PartFile, log: PartialLog, finalName: EntryName? = nil,
      fileExtension: String, bytes: Int64, sha256: String?,
      audio: AudioProof? = nil, isReceived: Bool = false,
      replaces: RelativePath? = nil, flag: CancelFlag = CancelFlag()
    ) {
      self.plan = plan
      self.part = part
      self.log = log
      self.finalName = finalName
      self.fileExtension = fileExtension
      self.bytes = bytes
      self.sha256 = sha256
      self.audio = audio
      self.isReceived = isReceived
      self.replaces = replaces
      self.flag = flag
    }

    /// The file that gets the name.
    var file: PartFile { tagged?.file ?? part }

    /// What is recorded of that file.
    var committed: CommittedBytes {
      let received = isReceived ? sha256 : nil
      guard let tagged else {
        return CommittedBytes(
          count: bytes, sha256: sha256, audio: audio, receivedSHA256: received)
      }
      return CommittedBytes(
        count: tagged.kept.tagged.bytes, sha256: tagged.kept.tagged.sha256, audio: tagged.audio,
        receivedSHA256: received)
    }
  }

  /// What is recorded of the bytes of a file.
  struct CommittedBytes {
    var count: Int64
    var sha256: String?
    /// What proves that its audio is intact when its tags are changed.
    var audio: AudioProof?
    /// The checksum of what a server sent; nil for other files.
    var receivedSHA256: String?
  }
}

import FoundationEssentials
import Glibc
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// The end of a download: the last checks, the final name, or a state that a later run continues.
extension Download {
  /// Where only the closing of the connection told the end, the audio itself must show it.
  func endsAsAudio(
    _ course: DownloadCourse, _ report: PartWriter.Report
  ) async throws(DownloadStop) -> Bool {
    guard report.isUnverified, report.held != plan.episode.enclosure.length else { return true }
    let (part, length) = (course.part, report.held)
    let isWhole = try await onDisk { () throws(DiskError) in
      try MPEGFrames.isWhole(length: length) { offset, count throws(DiskError) in
        try part.bytes(count, at: offset)
      }
    }
    return isWhole == true
  }

  /// Makes the bytes durable under their final name.
  func settle(_ course: DownloadCourse) async throws(DownloadStop) -> DownloadEvent.Kind {
    guard machine.settle() else { throw .cancelled }
    let (part, plan, keeper) = (course.part, plan, course.keeper)
    let total = course.writer.held.count
    let settled = try await onDisk { () throws(DiskError) -> FileCheck.Verdict in
      let verdict = FileCheck.verdict(
        start: try part.bytes(FileCheck.windowSize, at: 0), isWhole: true)
      if case .text = verdict {
        // Nothing of this can ever become an episode.
        part.remove()
        return verdict
      }
      try part.truncate(to: total)
      part.takeMediaMode()
      if let date = plan.episode.date {
        part.setModificationTime(date.timeIntervalSince1970)
      }
      // After a power cut between the rename and the line in the folder's record, this tells whose
      // file it is.
      try keeper.secure { record in
        defer { record.state?.total = total }
        return record.state?.total != total
      }
      if keeper.hasFailedSync { throw DiskError(EIO, "sync", part.name) }
      try keeper.syncing { () throws(DiskError) in try part.synchronize() }
      return verdict
    }
    let fileExtension: String
    switch settled {
    case .text(let kind): throw .failed(.notAudio(kind))
    case .media(let found):
      fileExtension = FileCheck.fileExtension(found: found, announced: plan.announcedExtension)
    case .unknown, .tooShort: fileExtension = plan.announcedExtension
    }
    var sha256: String?
    if let hasher = course.hasher {
      sha256 = await hasher.finish(total: total)
      guard sha256 != nil else {
        if cancelFlag.isSet { throw .cancelled }
        throw .failed(
          PodgetError(.disk, "What was written could not be read back for its checksum."))
      }
    }
    do throws(DiskError) {
      let file = try await context.committer.commit(
        Committer.Order(
          plan: plan, part: part, keeper: keeper, fileExtension: fileExtension, bytes: total,
          sha256: sha256,
          replaces: keeper.current.replaces, flag: cancelFlag))
      return .finished(file)
    } catch {
      if error.isCancelled { throw .cancelled }
      throw .failed(error.podgetError)
    }
  }

  /// Leaves a download that did not finish in a state that a later run continues.
  func leave(_ course: DownloadCourse, _ stop: DownloadStop) async -> DownloadEvent.Kind {
    let (writer, part, keeper) = (course.writer, course.part, course.keeper)
    let failure = stop.error.flatMap { $0.isForGood ? $0.code : nil }
    // A failure here changes nothing about the outcome: a smaller durable length is safe.
    try? await context.disk.run { () throws(DiskError) in
      try writer.checkpoint()
      if writer.held.count == 0 { part.remove() }
      if failure != keeper.current.failure {
        try keeper.update(.none) { record in
          record.failure = failure
          return true
        }
      }
    }
    return stop.terminalEvent(received: writer.held.count)
  }
}

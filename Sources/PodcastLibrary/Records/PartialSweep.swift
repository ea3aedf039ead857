internal import CFiles
import FoundationEssentials
import Glibc
import PodcastModel
import PodcastTransfer

extension PartialFolder {
  /// Removes what killed processes left: half-written records, parts without a record, whose bytes
  /// are worthless, and space that was reserved for more bytes. Files of running processes are
  /// locked. Damaged records stay, so that somebody is told.
  package func sweep() {
    for name in folder.entries() {
      if name.hasSuffix(".tmp") {
        guard let file = try? OpenFile.ownFile(name, in: folder, limit: .max),
          flock(file.number, LOCK_EX | LOCK_NB) == 0
        else { continue }
        unlinkat(folder.number, name, 0)
      } else if let key = Self.key(of: name), isWorthless(key), let part = try? openPart(key),
        isWorthless(key), let lock = lockedRecord(key)
      {
        // The record first: a process that creates a new part under the name then has a new record.
        removeRecord(key)
        part.remove()
        withExtendedLifetime(lock) {}
      } else if name.hasSuffix(".part"), folder.status(of: name)?.hasReservation == true,
        let part = try? PartFile.open(name, in: folder)
      {
        // A killed process could not release the space that it had reserved.
        part.release()
      }
    }
  }

  /// Whether an episode's part is useless: there is no record, or an unreadable one that no newer
  /// podget wrote.
  private func isWorthless(_ key: String) -> Bool {
    do throws(DiskError) {
      guard try read(key) == nil, !isDamaged(key) else { return false }
    } catch {
      // Refused records stay, so that somebody can look at them.
      return false
    }
    guard
      let data = try? OpenFile.ownContents(
        "\(key).json", in: folder, limit: Self.maximumBytes),
      let first = Self.lines(of: data).first
    else { return true }
    return !Self.isNewer(first)
  }

  /// The record of an episode, locked, or the folder if there is none; nil while another process is
  /// about to write it. A process that created it and waits for the lock will notice that it is
  /// gone.
  private func lockedRecord(_ key: String) -> OpenFile? {
    guard
      let file = try? OpenFile.ownFile("\(key).json", in: folder, limit: Self.maximumBytes)
    else { return folder }
    return flock(file.number, LOCK_EX | LOCK_NB) == 0 ? file : nil
  }

  /// The key of podget's part or record; files of others are ignored.
  private static func key(of name: String) -> String? {
    for ending in [".part", ".json"] where name.hasSuffix(ending) {
      let key = String(name.dropLast(ending.count))
      let isAdopted = key.hasSuffix(".adopted") && ending == ".part"
      return EpisodeKey(isAdopted ? String(key.dropLast(8)) : key) == nil ? nil : key
    }
    return nil
  }
}

internal import CFiles
import FoundationEssentials
import Glibc
import PodcastModel
import PodcastTransfer

extension PartialFolder {
  /// Removes what killed processes left: records half written, records that nobody can read, parts
  /// that no record speaks of, whose bytes are worth nothing, and room that was reserved for more
  /// bytes. Whoever is at work holds a lock.
  package func sweep() {
    for name in folder.entries() {
      if name.hasSuffix(".tmp") {
        guard let file = try? FileDescriptor.ownFile(name, in: folder, limit: .max),
          flock(file.number, LOCK_EX | LOCK_NB) == 0
        else { continue }
        unlinkat(folder.number, name, 0)
      } else if let key = Self.key(of: name), isWorthless(key), let part = try? openPart(key),
        isWorthless(key), let lock = lockedRecord(key)
      {
        // The record first: whoever makes a new part under the name has a new record then.
        removeRecord(key)
        part.remove()
        withExtendedLifetime(lock) {}
      } else if name.hasSuffix(".part"), folder.status(of: name)?.hasReservation == true,
        let part = try? PartFile.open(name, in: folder)
      {
        // A killed process could not give back the room that it had reserved.
        part.release()
      }
    }
  }

  /// Whether nothing can come of an episode's part: there is no record, or one that cannot be read
  /// and that no newer podget wrote.
  private func isWorthless(_ key: String) -> Bool {
    struct Versioned: Decodable { var version: Int }
    do throws(DiskError) {
      guard try read(key) == nil else { return false }
    } catch {
      // What is refused is left for whoever looks into it.
      return false
    }
    guard
      let data = try? FileDescriptor.ownContents(
        "\(key).json", in: folder, limit: Self.maximumBytes),
      let first = data.split(separator: 0x0A).first,
      let record = try? JSONDecoder().decode(Versioned.self, from: Data(first))
    else { return true }
    return record.version <= PartialRecord.currentVersion
  }

  /// The record of an episode, locked, or the folder where there is none; nil while somebody is about to
  /// write it. Who made it and waits for the lock finds out that it is gone.
  private func lockedRecord(_ key: String) -> FileDescriptor? {
    guard
      let file = try? FileDescriptor.ownFile("\(key).json", in: folder, limit: Self.maximumBytes)
    else { return folder }
    return flock(file.number, LOCK_EX | LOCK_NB) == 0 ? file : nil
  }

  /// The key of a part or record of podget's; files of others are nobody's business here.
  private static func key(of name: String) -> String? {
    for ending in [".part", ".json"] where name.hasSuffix(ending) {
      let key = String(name.dropLast(ending.count))
      let isAdopted = key.hasSuffix(".adopted") && ending == ".part"
      return EpisodeKey(isAdopted ? String(key.dropLast(8)) : key) == nil ? nil : key
    }
    return nil
  }
}

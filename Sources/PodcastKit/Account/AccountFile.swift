internal import CFiles
package import FoundationEssentials
import Glibc
package import PodcastLibrary
package import PodcastModel
import PodcastTransfer

/// The file with a library's account, `.podget/account.json`; only its owner can read it.
///
/// It is replaced in one step, and one process exchanges at a time.
package struct AccountFile: Sendable {
  private static let name = "account.json"
  private static let maximumBytes: Int64 = 64 << 20

  private let folder: OpenFile

  /// The file of a library; nil if there is no library yet and none is to be created.
  package init?(_ library: Library, creating: Bool = false) throws(PodgetError) {
    do throws(DiskError) {
      guard let folder = try library.ownFolder(creating: creating) else { return nil }
      self.folder = folder
    } catch {
      throw error.podgetError
    }
  }

  /// Whether there is an account: without one no lock is left either.
  package var isThere: Bool { folder.status(of: Self.name) != nil }

  /// Whether it is that of another user, who shares the library.
  package var isOfAnother: Bool {
    folder.status(of: Self.name).map { $0.owner != geteuid() } ?? false
  }

  /// The account, and whether only this user can have written it: its command may be run then.
  ///
  /// - Returns: nil if there is none.
  package func read() throws(PodgetError) -> (account: Account, isOwn: Bool)? {
    let (data, isOwn): (Data, Bool)
    do throws(DiskError) {
      let file = try OpenFile.ownFile(Self.name, in: folder, limit: Self.maximumBytes)
      isOwn = Self.isOwn(file.status)
      data = try file.readAll(Self.name, limit: Self.maximumBytes)
    } catch {
      guard error.number != ENOENT else { return nil }
      throw error.podgetError
    }
    guard let account = Self.account(data) else {
      throw PodgetError(
        .decoding,
        "The file .podget/\(Self.name) cannot be read; podget account remove removes it.")
    }
    return (account, isOwn)
  }

  /// The account in the bytes of such a file, its numbers within their limits; nil if there is none.
  package static func account(_ data: Data) -> Account? {
    guard var account = try? JSONDecoder().decode(Account.self, from: data), account.version == 1,
      Account.address(account.url) == account.url
    else { return nil }
    account.bound()
    return account
  }

  private static func isOwn(_ status: OpenFile.Status?) -> Bool {
    status.map { $0.owner == geteuid() && $0.permissions & 0o022 == 0 } ?? false
  }

  /// Replaces the account. A file that others have written, or may have, is not replaced: what it says
  /// would be this user's word from then on.
  package func write(_ account: Account) throws(PodgetError) {
    do throws(DiskError) {
      let data = try Self.data(account)
      if let before = folder.status(of: Self.name), !Self.isOwn(before) {
        throw DiskError(
          EPERM, "replace", ".podget/\(Self.name)",
          reason: "it belongs to others, or they can change it")
      }
      guard data.count <= Self.maximumBytes else {
        throw DiskError(EFBIG, "write", ".podget/\(Self.name)")
      }
      do throws(DiskError) {
        try OpenFile.replaceOwnFile(
          Self.name, in: folder, with: data, temporary: "\(Self.name).new"
        ) { file in
          // Also in a library that a group shares.
          fchmod(file.number, 0o600)
        }
      } catch {
        throw error.at(error.operation, ".podget/\(Self.name)")
      }
      try folder.synchronize(".podget")
    } catch {
      throw error.podgetError
    }
  }

  /// Removes the account from this library. The server keeps what it has.
  ///
  /// - Returns: whether there was one.
  package func remove() throws(PodgetError) -> Bool {
    if unlinkat(folder.number, Self.name, 0) == 0 { return true }
    guard errno == ENOENT else {
      throw DiskError(errno, "remove", ".podget/\(Self.name)").podgetError
    }
    return false
  }

  /// Does work that no other process does at the same time.
  ///
  /// - Parameter waits: whether another process is waited for.
  /// - Returns: nil if it was not waited for.
  package func exclusively<Result>(
    waits: Bool = true, _ work: () async throws -> Result?
  ) async throws -> Result? {
    let lock: OpenFile
    do throws(DiskError) {
      lock = try OpenFile.writableOwnFile("\(Self.name).lock", in: folder, flags: O_RDWR)
      if waits {
        try lock.waitForLock("\(Self.name).lock") { Task.isCancelled }
      } else if flock(lock.number, LOCK_EX | LOCK_NB) != 0 {
        guard errno == EWOULDBLOCK || errno == EINTR else {
          throw DiskError(errno, "lock", Self.name)
        }
        return nil
      }
    } catch {
      throw error.podgetError
    }
    defer { flock(lock.number, LOCK_UN) }
    return try await work()
  }

  private static func data(_ account: Account) throws(DiskError) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(account) else { throw DiskError(EINVAL, "encode", name) }
    return data
  }
}

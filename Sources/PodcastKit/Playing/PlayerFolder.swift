import Glibc
internal import PodcastSystem

/// A folder for the socket of a player, which only this user can enter; it goes with this.
final class PlayerFolder: Sendable {
  private static let name = "mpv"

  private let path: String

  /// Makes a folder in the first of some folders where that is possible; nil if it is nowhere.
  init?(in folders: [String]) {
    var address = sockaddr_un()
    let room = withUnsafeBytes(of: &address.sun_path) { $0.count }
    for folder in folders where folder.hasPrefix("/") {
      var name = Array("\(folder)/podget-XXXXXX".utf8CString)
      guard name.count + Self.name.utf8.count < room, mkdtemp(&name) != nil else { continue }
      path = String(decoding: name.dropLast().map(UInt8.init(truncatingIfNeeded:)), as: UTF8.self)
      return
    }
    return nil
  }

  deinit { remove() }

  /// The path of the socket.
  var socket: String { "\(path)/\(Self.name)" }

  /// Deletes the folder; who is connected stays so.
  func remove() {
    unlink(socket)
    rmdir(path)
  }

  /// A connection with who listens at the socket; nil if nobody does.
  func connect() -> Int32? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socket.utf8) }
    let connection = OperatingSystem.socket(AF_UNIX, .stream, isNonBlocking: true)
    guard connection >= 0 else { return nil }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let status = withUnsafePointer(to: address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(connection, $0, size)
      }
    }
    guard status == 0 else {
      close(connection)
      return nil
    }
    return connection
  }
}

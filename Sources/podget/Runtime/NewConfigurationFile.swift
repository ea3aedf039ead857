import Glibc
import PodcastKit

/// Creates the configuration file.
enum NewConfigurationFile {
  /// Where it belongs.
  static func path(_ environment: [String: String]) throws(PodgetError) -> String {
    guard let path = ConfigurationFile.path(environment) else {
      throw PodgetError(
        .notFound, "There is no place for a configuration file: HOME is not set.")
    }
    // Text that is not UTF-8 was repaired, and names another folder.
    guard !path.unicodeScalars.contains("\u{FFFD}") else {
      throw PodgetError(.notFound, "The path \(path) is not UTF-8.")
    }
    return path
  }

  /// Writes a file with every key as a comment, for the user only.
  ///
  /// - Returns: false, and nothing has changed, if there is one already.
  static func write(_ path: String) throws(PodgetError) -> Bool {
    do throws(DiskError) {
      try createFolders(above: path)
      let file: OpenFile
      do throws(DiskError) {
        file = try OpenFile.open(path, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
      } catch {
        guard error.number == EEXIST else { throw error }
        return false
      }
      do throws(DiskError) {
        try write(ConfigurationTemplate.text, to: file, path)
        try file.synchronize(path)
      } catch {
        // The beginning of it would be in the way of the next attempt.
        unlink(path)
        throw error
      }
      return true
    } catch {
      throw error.podgetError
    }
  }

  private static func createFolders(above path: String) throws(DiskError) {
    var place = path.startIndex
    while let slash = path[path.index(after: place)...].firstIndex(of: "/") {
      let folder = String(path[..<slash])
      guard mkdir(folder, 0o700) == 0 || errno == EEXIST || isFolder(folder) else {
        throw DiskError(errno, "create the folder", folder)
      }
      place = slash
    }
  }

  private static func isFolder(_ path: String) -> Bool {
    // On a read-only disk even a folder that exists gives another error than EEXIST.
    let number = errno
    defer { errno = number }
    return (try? OpenFile.open(path, flags: O_RDONLY | O_DIRECTORY)) != nil
  }

  private static func write(
    _ text: String, to file: OpenFile, _ path: String
  ) throws(DiskError) {
    var rest = ArraySlice(text.utf8)
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file.number, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        throw DiskError(count == 0 ? EIO : errno, "write", path)
      }
    }
  }
}

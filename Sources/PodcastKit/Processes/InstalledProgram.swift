import Glibc
internal import PodcastSystem

/// The programs that are installed with podget.
package enum InstalledProgram {
  /// The path of the running program; nil if it is not text, or the kernel does not say.
  package static var own: String? {
    guard let bytes = OperatingSystem.placeOfProgram,
      let path = String(validating: bytes, as: UTF8.self),
      access(path, X_OK) == 0
    else { return nil }
    return path
  }

  /// A path that starts the running program once more.
  package static var running: String { own ?? OperatingSystem.runningProgram }

  /// The path of a program: beside the running one, as after a build, else in `../libexec/podget`, as
  /// installed, else in another folder; nil if it is nowhere.
  ///
  /// - Parameters:
  ///   - name: its file name.
  ///   - folder: the value of `PODGET_LIBEXEC`, if it is set.
  package static func path(of name: String, orIn folder: String?) -> String? {
    var folders: [String] = []
    if let own, let slash = own.lastIndex(of: "/") {
      folders = ["\(own[..<slash])", "\(own[..<slash])/../libexec/podget"]
    }
    if let folder, !folder.isEmpty { folders.append(folder) }
    return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }
}

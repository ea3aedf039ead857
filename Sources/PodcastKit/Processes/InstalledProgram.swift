import Glibc
internal import PodcastSystem

/// The program that runs.
package enum InstalledProgram {
  /// The path of the running program; nil if it is not text, or the kernel does not say.
  private static var own: String? {
    guard let bytes = OperatingSystem.placeOfProgram,
      let path = String(validating: bytes, as: UTF8.self),
      access(path, X_OK) == 0
    else { return nil }
    return path
  }

  /// A path that starts the running program once more.
  package static var running: String { own ?? OperatingSystem.runningProgram }
}

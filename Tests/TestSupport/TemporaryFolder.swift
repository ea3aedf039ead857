import Foundation

/// A folder for one test, removed with its contents when the last reference goes.
public final class TemporaryFolder: Sendable {
  /// The absolute path.
  public let path: String

  /// Makes an empty folder.
  /// - Throws: What the file system says.
  public init() throws {
    var template = Array("\(NSTemporaryDirectory())/podget-test-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    path = URL(filePath: String(cString: made)).resolvingSymlinksInPath().path
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The absolute path of something in it.
  public func path(_ name: String) -> String {
    "\(path)/\(name)"
  }

  /// Writes a file, making the folders above it, and returns its absolute path.
  /// - Throws: What the file system says.
  @discardableResult
  public func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
    let url = URL(filePath: path(name))
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
    return url.path
  }

  /// Writes a text as UTF-8 and returns the file's absolute path.
  /// - Throws: What the file system says.
  @discardableResult
  public func write(_ name: String, _ text: String) throws -> String {
    try write(name, text.utf8)
  }

  /// Writes a program that a test starts, and returns its absolute path.
  ///
  /// Another process writes it: a program that a test beside this one starts at that moment would keep
  /// the file open for writing, and such a file cannot be started.
  /// - Throws: What the file system says.
  @discardableResult
  public func writeProgram(_ name: String, _ text: String) throws -> String {
    let source = try write("\(name).text", text)
    let words = ["/usr/bin/install", "-m", "755", source, path(name)]
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var (child, status) = (pid_t(), Int32())
    let error = posix_spawn(&child, words[0], nil, nil, &arguments, environ)
    guard error == 0, waitpid(child, &status, 0) == child, status == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO)
    }
    try FileManager.default.removeItem(atPath: source)
    return path(name)
  }

  /// The bytes of a file in it.
  /// - Throws: What the file system says.
  public func read(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: path(name))))
  }

  /// Whether there is something of that name in it.
  public func contains(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: path(name))
  }

  /// The paths of all files in it, relative and sorted, hidden ones too.
  public var files: [String] {
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
    return names.filter { name in
      var isFolder: ObjCBool = false
      let isThere = FileManager.default.fileExists(atPath: path(name), isDirectory: &isFolder)
      return isThere && !isFolder.boolValue
    }.sorted()
  }
}

import Foundation

/// The library that makes the system calls of a tested podget fail: `Tests/Faults`.
///
/// It is loaded with `LD_PRELOAD`, so it must be a shared library, which SwiftPM builds for products
/// only. It is for tests only, so the tests build it themselves.
public enum FaultLibrary {
  /// The absolute path of the built library.
  ///
  /// - Throws: when the compiler, which comes with Swift, does not build it.
  public static func path() throws -> String { try built.get() }

  private static let built = Result { try build() }

  private static func build() throws -> String {
    let source = packageRoot + "/Tests/Faults/Faults.c"
    let products = URL(filePath: BuiltBinary.podget.path).deletingLastPathComponent()
    let library = products.appending(path: "podget-faults.so").path
    // Several runs may build it at once; each sees a complete one.
    let own = "\(library).\(ProcessInfo.processInfo.processIdentifier)"
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.arguments = ["clang", "-shared", "-fPIC", "-O1", "-Wall", "-o", own, source, "-ldl"]
    try compiler.run()
    compiler.waitUntilExit()
    guard compiler.terminationStatus == 0, rename(own, library) == 0 else {
      throw CocoaError(.executableLoad, userInfo: [NSFilePathErrorKey: source])
    }
    return library
  }
}

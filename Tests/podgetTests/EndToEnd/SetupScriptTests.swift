import Foundation
import TestSupport
import Testing

/// `scripts/setup` with a `PATH` on which swift, apt-get, dpkg-query, sudo and id are scripts of the
/// test.
@Suite("scripts/setup") struct SetupScriptTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path("bin"), withIntermediateDirectories: true)
    for name in ["dirname", "env", "grep", "head", "sed", "sh", "sort", "tr"] {
      let folders = ["/usr/bin", "/bin"].map { "\($0)/\(name)" }
      let path = try #require(folders.first { FileManager.default.fileExists(atPath: $0) })
      try FileManager.default.createSymbolicLink(
        atPath: folder.path("bin/\(name)"), withDestinationPath: path)
    }
    try script("swift", "echo 'Swift version 6.3.1 (swift-6.3.1-RELEASE)'")
    try script("id", "echo 1000")
    try script("dpkg-query", "grep -qx \"$4\" '\(folder.path("packages"))' && printf installed")
    try script(
      "apt-get",
      "echo \"apt-get $*\" >>'\(folder.path("log"))'; [ ! -e '\(folder.path("offline"))' ]")
    try script("sudo", "echo \"sudo $*\" >>'\(folder.path("log"))'; exec \"$@\"")
    try folder.write("packages", Self.packages.joined(separator: "\n") + "\n")
  }

  @Test("does nothing if everything is installed")
  func complete() async throws {
    let result = try await setup()
    #expect(result.status == .exited(0))
    #expect(result.error == "")
    #expect(!folder.contains("log"))
  }

  @Test("an installed alternative counts")
  func alternatives() async throws {
    let others = Self.packages.map { $0 == "pkg-config" ? "pkgconf" : $0 }
    try folder.write("packages", others.joined(separator: "\n") + "\n")
    let result = try await setup()
    #expect(result.status == .exited(0))
    #expect(result.error == "")
  }

  @Test("names what is missing, then installs it", arguments: [true, false])
  func installs(asRoot: Bool) async throws {
    try lose("libspng-dev", "libwebp-dev")
    if asRoot { try script("id", "echo 0") }
    let result = try await setup()
    #expect(result.status == .exited(0))
    #expect(result.error == "setup: installing libspng-dev libwebp-dev\n")
    let install = "apt-get install -qq -y --no-install-recommends libspng-dev libwebp-dev"
    let expected =
      asRoot
      ? ["apt-get update -qq", install]
      : [
        "sudo apt-get update -qq", "apt-get update -qq",
        "sudo env DEBIAN_FRONTEND=noninteractive \(install)", install,
      ]
    let log = String(decoding: try folder.read("log"), as: UTF8.self)
    #expect(log.split(separator: "\n").map(String.init) == expected)
  }

  @Test("without root and sudo it prints the command")
  func noRights() async throws {
    try lose("libspng-dev")
    try FileManager.default.removeItem(atPath: folder.path("bin/sudo"))
    let result = try await setup()
    #expect(result.status == .exited(1))
    #expect(
      result.error
        == "setup: packages are missing; as root, run: apt-get install libspng-dev\n")
    #expect(!folder.contains("log"))
  }

  @Test("without a network it prints the command")
  func offline() async throws {
    try lose("libspng-dev")
    try folder.write("offline", "")
    let result = try await setup()
    #expect(result.status == .exited(1))
    #expect(
      result.error == """
        setup: installing libspng-dev
        setup: apt-get failed, its message is above; to install the packages, run as root: apt-get install libspng-dev

        """)
  }

  @Test("without apt-get it names what is needed, and succeeds")
  func otherSystem() async throws {
    try FileManager.default.removeItem(atPath: folder.path("bin/apt-get"))
    let result = try await setup()
    #expect(result.status == .exited(0))
    #expect(result.error.contains("has no apt-get; install what it has in place of: "))
    #expect(result.error.contains("libcurl4-openssl-dev"))

    try script("pkg-config", "exit 0")
    #expect(try await setup().error == "")
  }

  @Test(
    "an older Swift, and none, are errors",
    arguments: [
      ("Swift version 5.10 (swift-5.10-RELEASE)", "is version 5.10; install Swift "),
      ("Swift version 6.2.4 (swift-6.2.4-RELEASE)", "is version 6.2; install Swift "),
      ("", "prints no version; install Swift "),
      (nil, "swift is not on the PATH; install Swift "),
    ])
  func oldSwift(version: String?, message: String) async throws {
    if let version {
      try script("swift", "echo '\(version)'")
    } else {
      try FileManager.default.removeItem(atPath: folder.path("bin/swift"))
    }
    let result = try await setup()
    #expect(result.status == .exited(1))
    #expect(result.error.contains(message))
    #expect(result.error.contains("from https://swift.org/install"))
    #expect(result.error.split(separator: "\n").count == 1)
  }

  @Test(
    "a newer Swift is good",
    arguments: [
      "Swift version 6.10 (swift-6.10-RELEASE)", "Swift version 7.0-dev (LLVM 1, Swift 2)",
    ])
  func newSwift(version: String) async throws {
    try script("swift", "echo '\(version)'")
    let result = try await setup()
    #expect(result.status == .exited(0))
    #expect(result.error == "")
  }

  private static let packages = [
    "libcurl4-openssl-dev", "libssl-dev", "libsqlite3-dev", "libyaml-dev",
    "zlib1g-dev", "libturbojpeg0-dev", "libspng-dev", "libwebp-dev", "libtag1-dev",
    "pkg-config", "curl",
  ]

  private func lose(_ names: String...) throws {
    let rest = Self.packages.filter { !names.contains($0) }
    try folder.write("packages", rest.joined(separator: "\n") + "\n")
  }

  private func script(_ name: String, _ text: String) throws {
    try folder.writeProgram("bin/\(name)", "#!/bin/sh\n\(text)\n")
  }

  private func setup() async throws -> RunningProcess.Result {
    try await RunningProcess(
      "/bin/sh", ["\(packageRoot)/scripts/setup", "--demo"],
      environment: ["PATH": folder.path("bin")]
    ).waitForExit()
  }
}

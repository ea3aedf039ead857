// swift-tools-version: 6.3

import PackageDescription

/// Every target of the package is held to the same language rules.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// The library's modules, as tests import them.
let modules: [Target.Dependency] = [
  "PodcastArtwork", "PodcastModel", "PodcastFeeds", "PodcastSystem", "PodcastTransfer",
  "PodcastLibrary", "PodcastKit",
]

/// What the command is made of. PodcastKit exports the library's modules; without their names here,
/// SwiftPM would not build the command again when one of them changes and PodcastKit does not, and it
/// would read their values in a form of before.
let commandDependencies: [Target.Dependency] =
  modules + [
    "BrowseScreen", "CFiles", "CYAML", "PodcastBrowse", "PodcastThumbnails",
    .product(name: "ArgumentParser", package: "swift-argument-parser"),
  ]

/// The modules with functions that are fuzzed.
let fuzzedModules =
  modules + ["BrowseScreen", "PodcastBrowse", "PodcastThumbnails", "podget"]

let package = Package(
  name: "podget",
  products: [
    .library(name: "PodcastKit", targets: ["PodcastKit"]),
    .library(name: "PodcastFeeds", targets: ["PodcastFeeds"]),
    .executable(name: "podget", targets: ["podget"]),
    .executable(name: "podget-tag", targets: ["podget-tag"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0")
  ],
  targets: [
    // Only their headers: libcurl, libcrypto and the decoders of images are loaded when they are needed.
    .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CTurboJPEG", providers: [.apt(["libturbojpeg0-dev"])]),
    .systemLibrary(name: "CSPNG", providers: [.apt(["libspng-dev"])]),
    .systemLibrary(name: "CWebP", providers: [.apt(["libwebp-dev"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(
      name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CFiles"),
    .systemLibrary(name: "CLinux"),
    // What is not POSIX; only this module calls it.
    .target(name: "PodcastSystem", dependencies: ["CLinux"], swiftSettings: strict),
    .target(name: "PodcastArtwork", swiftSettings: strict),
    // What decodes images, in a process of its own for each, which loads the library that it needs.
    .target(
      name: "PodcastThumbnails",
      dependencies: ["CSPNG", "CTurboJPEG", "CWebP", "PodcastArtwork", "PodcastSystem"],
      swiftSettings: strict),
    // Each module may import only those above it.
    .target(name: "PodcastModel", dependencies: ["COpenSSL"], swiftSettings: strict),
    .target(name: "PodcastFeeds", dependencies: ["PodcastModel"], swiftSettings: strict),
    .target(
      name: "PodcastTransfer",
      dependencies: ["CCurl", "CFiles", "COpenSSL", "CZlib", "PodcastModel", "PodcastSystem"],
      swiftSettings: strict),
    .target(
      name: "PodcastLibrary",
      dependencies: ["CFiles", "CSQLite", "PodcastModel", "PodcastSystem", "PodcastTransfer"],
      swiftSettings: strict),
    .target(
      name: "PodcastKit",
      dependencies: [
        "CFiles", "PodcastArtwork", "PodcastModel", "PodcastFeeds", "PodcastSystem",
        "PodcastTransfer", "PodcastLibrary",
      ],
      swiftSettings: strict),
    .target(
      name: "BrowseScreen", dependencies: ["PodcastArtwork", "PodcastModel", "PodcastSystem"],
      swiftSettings: strict),
    .target(
      name: "PodcastBrowse", dependencies: ["BrowseScreen", "PodcastArtwork", "PodcastModel"],
      swiftSettings: strict),
    .executableTarget(
      name: "podget", dependencies: commandDependencies, swiftSettings: strict),
    // What writes tags, in C++: podget starts it for each file.
    .executableTarget(
      name: "podget-tag",
      cxxSettings: [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)],
      linkerSettings: [.linkedLibrary("tag")]),
    .target(name: "LoopbackServer", dependencies: ["PodcastSystem"], swiftSettings: strict),
    .executableTarget(
      name: "podget-demo-server",
      dependencies: [
        "LoopbackServer", "PodcastArtwork", "PodcastSystem",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
    .target(
      name: "TestSupport", dependencies: ["LoopbackServer"] + modules,
      path: "Tests/TestSupport", swiftSettings: strict),
    .testTarget(
      name: "PodcastKitTests", dependencies: ["LoopbackServer", "TestSupport"] + modules,
      resources: [.copy("../../Fixtures")], swiftSettings: strict),
    .testTarget(
      name: "BrowseTests",
      dependencies: [
        "BrowseScreen", "PodcastArtwork", "PodcastBrowse", "PodcastModel", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "FuzzTests", dependencies: ["TestSupport"] + fuzzedModules, path: "Fuzz",
      exclude: ["CFuzzer", "Corpus", "Dictionaries", "Driver", "README.md", "Regressions"],
      sources: ["Bodies", "Tests"], swiftSettings: strict),
    .testTarget(
      name: "podgetTests",
      dependencies: ["podget", "BrowseScreen", "LoopbackServer", "PodcastBrowse", "TestSupport"]
        + modules,
      swiftSettings: strict),
  ],
  cxxLanguageStandard: .cxx17
)

if Context.environment["PODGET_FUZZ"] != nil {
  // What `make fuzz` builds: the library and one program that runs any of the fuzzed functions. With
  // libFuzzer linked in, no other program can be. Only what is fuzzed is built for it.
  let fuzzed = ["-sanitize=fuzzer,address", "-enable-testing"]
  package.products = []
  package.targets.removeAll { target in
    target.isTest
      || target.type == .executable && target.name != "podget"
      || ["LoopbackServer", "TestSupport"].contains(target.name)
  }
  package.targets += [
    .systemLibrary(name: "CFuzzer", path: "Fuzz/CFuzzer"),
    .executableTarget(
      name: "podget-fuzz", dependencies: ["CFuzzer"] + fuzzedModules, path: "Fuzz",
      exclude: ["CFuzzer", "Corpus", "Dictionaries", "README.md", "Regressions", "Tests"],
      sources: ["Bodies", "Driver"], swiftSettings: strict,
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address"])]),
  ]
  // A program cannot be linked into another one, but all of it except for its start can.
  package.targets.removeAll { $0.name == "podget" }
  package.targets.append(
    .target(name: "podget", dependencies: commandDependencies, exclude: ["Main.swift"]))
  for target in package.targets where target.type != .system {
    target.swiftSettings = strict + [.unsafeFlags(fuzzed)]
  }
}

if Context.environment["PODGET_YEAR"] != nil {
  // What `make year` builds: the simulated year alone. All tests with optimization take far longer.
  package.targets.removeAll { $0.isTest && $0.name != "PodcastKitTests" || $0.type == .executable }
  package.products = []
  for target in package.targets where target.isTest {
    target.resources = nil
    target.sources = ["SimulatedYearTests", "SyncHarness", "YearPodcast", "YearTransport"].map {
      "Sync/\($0).swift"
    }
  }
}

// swift-tools-version: 6.2

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

let package = Package(
  name: "podget",
  products: [
    .library(name: "PodcastKit", targets: ["PodcastKit"]),
    .executable(name: "podget", targets: ["podget"]),
    // Only tests load it, into the podget that they run.
    .library(name: "podget-faults", type: .dynamic, targets: ["Faults"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(
      name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CFiles"),
    .target(
      name: "PodcastKit",
      dependencies: [
        "CCurl", "CFiles", "COpenSSL", .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "podget",
      dependencies: [
        "CFiles", "PodcastKit",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
    .target(name: "LoopbackServer", swiftSettings: strict),
    .executableTarget(
      name: "podget-demo-server",
      dependencies: [
        "LoopbackServer", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
    .target(name: "Faults", path: "Tests/Faults"),
    .target(
      name: "TestSupport", dependencies: ["LoopbackServer", "PodcastKit"],
      path: "Tests/TestSupport", swiftSettings: strict),
    .testTarget(
      name: "PodcastKitTests", dependencies: ["PodcastKit", "LoopbackServer", "TestSupport"],
      resources: [.copy("../../Fixtures")], swiftSettings: strict),
    .testTarget(
      name: "FuzzTests", dependencies: ["PodcastKit", "TestSupport"], path: "Fuzz",
      exclude: ["CFuzzer", "Corpus", "Dictionaries", "Driver", "README.md", "Regressions"],
      sources: ["Bodies", "Tests"], swiftSettings: strict),
    .testTarget(
      name: "podgetTests", dependencies: ["podget", "PodcastKit", "LoopbackServer", "TestSupport"],
      swiftSettings: strict),
  ]
)

if Context.environment["PODGET_FUZZ"] != nil {
  // What `make fuzz` builds: the library and one program that runs any of the fuzzed functions. With
  // libFuzzer linked in, no other program can be. Only what is fuzzed is built for it.
  let fuzzed = ["-sanitize=fuzzer,address", "-enable-testing"]
  let systemLibraries = ["CCurl", "CFiles", "COpenSSL"]
  package.products = []
  package.targets.removeAll { target in
    target.isTest || !(systemLibraries + ["PodcastKit"]).contains(target.name)
  }
  package.targets += [
    .systemLibrary(name: "CFuzzer", path: "Fuzz/CFuzzer"),
    .executableTarget(
      name: "podget-fuzz", dependencies: ["CFuzzer", "PodcastKit"], path: "Fuzz",
      exclude: ["CFuzzer", "Corpus", "Dictionaries", "README.md", "Regressions", "Tests"],
      sources: ["Bodies", "Driver"], swiftSettings: strict,
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address"])]),
  ]
  for target in package.targets where target.type != .system {
    target.swiftSettings = strict + [.unsafeFlags(fuzzed)]
  }
}

// swift-tools-version: 6.3
import PackageDescription

// Reads a feed with PodcastFeeds and nothing else, as another program would. Benchmarks/feeds builds it.
let package = Package(
  name: "reader",
  dependencies: [.package(name: "podget", path: "../..")],
  targets: [
    .target(name: "CAllocations"),
    .executableTarget(
      name: "reader",
      dependencies: ["CAllocations", .product(name: "PodcastFeeds", package: "podget")]),
  ],
  swiftLanguageModes: [.v6]
)

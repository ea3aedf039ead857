import CAllocations
import Foundation
import PodcastFeeds

// reader FILE [ROUNDS]: how long FeedReader takes for a feed in memory (median milliseconds after one
// round that does not count), how many megabytes that is in a second, and how many blocks of memory it
// allocates for each episode.
guard CommandLine.arguments.count > 1 else { fatalError("reader FILE [ROUNDS]") }
let bytes = try Data(contentsOf: URL(filePath: CommandLine.arguments[1]), options: .alwaysMapped)
let rounds = CommandLine.arguments.count > 2 ? Int(CommandLine.arguments[2]) ?? 5 : 5

/// The number of episodes of the feed, read once, in pieces as a network brings them.
func read() throws -> Int {
  let reader = FeedReader()
  for start in stride(from: 0, to: bytes.count, by: 16_384) {
    bytes[start..<min(start + 16_384, bytes.count)].withUnsafeBytes { reader.feed($0) }
  }
  guard case .feed(let document) = try reader.finish() else { return 0 }
  return document.episodes.count
}

_ = try read()
var seconds: [Double] = []
var allocations = 0.0
for _ in 0..<rounds {
  let before = allocation_count()
  var count = 0
  let time = try ContinuousClock().measure { count = try read() }
  allocations = Double(allocation_count() - before) / Double(max(count, 1))
  seconds.append(time / .seconds(1))
}
let median = seconds.sorted()[rounds / 2]
print(median * 1000, Double(bytes.count) / median / 1e6, allocations)

import FoundationEssentials

@testable import PodcastFeeds
@testable import PodcastModel

/// Dates, durations, addresses and texts as feeds write them.
enum FeedValuesFuzzing {
  static func run(_ input: inout FuzzInput) throws {
    let base = input.flag() ? BaseAddress("https://host.example:8443/show/feed?key=1") : nil
    let bytes = input.remaining()
    if let date = FeedDate.date(bytes) {
      let seconds = date.timeIntervalSince1970
      try FuzzFailure.require(
        seconds > -63_000_000_000 && seconds < 254_000_000_000, "A date outside the calendar.")
      // The exact reader and the tolerant one agree.
      if StandardDate.date(bytes) != nil {
        var words = FeedDateWords(bytes)
        let read = words.read().map { Double($0.day.daysSince1970) * 86_400 + $0.seconds }
        try FuzzFailure.require(read == seconds, "Two readings of one date.")
      }
    }
    if let seconds = FeedDuration.seconds(bytes) {
      try FuzzFailure.require((1...2_678_400).contains(seconds), "The duration \(seconds)")
    }
    if let address = FeedAddress.absolute(bytes, base: base) {
      try FuzzFailure.require(
        FeedAddress.absolute(address, base: base) == address, "Resolved twice: \(address)")
      try FuzzFailure.require(
        WebAddress(address)?.isHTTP == true && FeedURL(address) != nil, "The address \(address)")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    if let line = FeedText.line(text.utf8) {
      try FuzzFailure.require(FeedText.line(line.utf8) == line, "Two forms of one line: \(line)")
      try FuzzFailure.require(line.utf8.count <= FeedLimits.titleBytes, "A line without end.")
    }
    let plain = DescriptionText.text(text) ?? ""
    try FuzzFailure.require(plain.utf8.count <= text.utf8.count, "Text longer than its markup.")
    if let number: Int64 = FeedText.positive(bytes, below: 1000) {
      try FuzzFailure.require((1..<1000).contains(number), "The number \(number)")
    }
  }
}

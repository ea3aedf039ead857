import Foundation
import Testing

@testable import PodcastModel

@Suite("Shards of subscriptions") struct ShardTests {
  @Test(
    "values of --shard",
    arguments: [
      ("1/1", 1, 1), ("2/5", 2, 5), ("1000000/1000000", 1_000_000, 1_000_000), ("02/05", 2, 5),
      ("0+1/5", 1, 5), ("4+1/5", 5, 5),
    ])
  func parsed(text: String, number: Int, count: Int) throws {
    let shard = try Shard(option: text)
    #expect(shard.number == number)
    #expect(shard.count == count)
    #expect("\(shard)" == "\(number)/\(count)")
  }

  @Test(
    "values that are no shard",
    arguments: [
      "", "/", "1", "1/", "/2", "0/2", "3/2", "2+1/2", "1+2/4", "1+1", "9223372036854775807+1/2",
      "-1/2", "+1/2", "1/0", "0/0", "1/1000001", "1/2/3",
      "1 /2", "a/b", "1/99999999999999999999", "١/٢",
    ])
  func refused(text: String) {
    let error = #expect(throws: OptionValueError.self) { try Shard(option: text) }
    #expect(error?.description.hasPrefix("\"\(text)\" is not a shard") == true)
  }

  @Test(
    "an address belongs to the same shard in every version",
    arguments: [
      ("https://feeds.example/show", [1: 1, 2: 1, 5: 5, 1_000_000: 654025]),
      ("https://b.example/feed?id=1", [1: 1, 2: 1, 5: 5, 1_000_000: 229715]),
      ("", [1: 1, 2: 1, 5: 3, 1_000_000: 261653]),
    ])
  func frozen(address: String, shards: [Int: Int]) throws {
    for (count, number) in shards {
      #expect(try Shard(option: "\(number)/\(count)").contains(address))
    }
  }

  @Test("each address belongs to exactly one shard, and the shards are of one size") func parts()
    throws
  {
    let addresses = (0..<1000).map { "https://host\($0 % 7).example/feed/\($0)" }
    for count in [1, 2, 3, 7] {
      let shards = try (1...count).map { try Shard(option: "\($0)/\(count)") }
      let sizes = shards.map { shard in addresses.count { shard.contains($0) } }
      #expect(sizes.reduce(0, +) == 1000)
      #expect(sizes.allSatisfy { $0 > 700 / count })
      for address in addresses { #expect(shards.count { $0.contains(address) } == 1) }
      // Who counts from 0 takes the same ones.
      #expect(try (0..<count).map { try Shard(option: "\($0)+1/\(count)") } == shards)
    }
  }
}

import Testing

@testable import PodcastModel

@Suite("Free keys") struct FreeKeysTests {
  @Test("many episodes with the same keys try each key once") func shared() {
    var keys = FreeKeys(used: ["0", "2"])
    var trials = 0
    let taken = (0..<1_000).map { _ in
      keys.take { number in
        trials += 1
        return String(number)
      }
    }
    #expect(taken == ["1"] + (3..<1_002).map(String.init))
    // Each tries its first keys, and then one more.
    #expect(trials <= 3 * 1_000 + 2)
  }

  @Test("a key that others have taken is not free") func others() {
    var keys = FreeKeys(used: [])
    let firstTake = [keys.take("x1"), keys.take("x1")]
    #expect(firstTake == [true, false])
    var taken = (0..<2).map { _ in keys.take { "x\($0)" } }
    let thirdTake = keys.take("x3")
    #expect(thirdTake)
    taken += [keys.take { "x\($0)" }, keys.take { "y\($0)" }]
    #expect(taken == ["x0", "x2", "x4", "y0"])
  }
}

import Testing

@testable import PodcastModel

@Suite("What rounds remember of the network") struct NetworkMemoryTests {
  private func round(_ host: String, _ error: PodgetError.Code?) throws -> NetworkRound {
    var round = NetworkRound()
    round.add(try SyncPieces.url("https://\(host).example/feed"), error: error)
    return round
  }

  @Test("failures of several hosts add up for ten minutes, until one answers") func failures()
    throws
  {
    var memory = NetworkMemory()
    memory.add(try round("a", .network), at: SyncPieces.hour(0))
    memory.add(try round("a", .timeout), at: SyncPieces.hour(0.05))
    #expect(memory.failedHosts(at: SyncPieces.hour(0.1)) == 1)
    memory.add(try round("b", .timeout), at: SyncPieces.hour(0.1))
    #expect(memory.failedHosts(at: SyncPieces.hour(0.1)) == 2)
    #expect(memory.failedHosts(at: SyncPieces.hour(0.25)) == 1)
    #expect(!memory.hasAnswer(at: SyncPieces.hour(0.25)))
    memory.add(try round("c", .httpStatus), at: SyncPieces.hour(0.25))
    #expect(memory.failedHosts(at: SyncPieces.hour(0.25)) == 0)
    #expect(memory.hasAnswer(at: SyncPieces.hour(0.3)))
    #expect(!memory.hasAnswer(at: SyncPieces.hour(0.5)))
    // A clock that was set back.
    #expect(!memory.hasAnswer(at: SyncPieces.hour(0)))
  }
}

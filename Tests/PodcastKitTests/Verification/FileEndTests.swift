import Testing

@testable import PodcastLibrary

@Suite("Ends without a length") struct FileEndTests {
  /// A body of 1,000,000 bytes: what marks its end, what its audio says, and what the feed
  /// announces.
  private struct Case: Sendable {
    var mark: FileEnd.Mark
    var ending: AudioStructure.Ending
    var played: Duration?
    var announced: Int64?
    var published: Duration?
    var judgement: FileEnd.Judgement

    init(
      _ mark: FileEnd.Mark, _ ending: AudioStructure.Ending, played: Duration? = nil,
      announced: Int64? = nil, published: Duration? = nil, _ judgement: FileEnd.Judgement
    ) {
      self.mark = mark
      self.ending = ending
      self.played = played
      self.announced = announced
      self.published = published
      self.judgement = judgement
    }
  }

  private static let open = AudioStructure.Ending.open("It is open.")
  private static let cut = AudioStructure.Ending.cut("It is cut.")
  private static let same = FileEnd.Judgement.unsure(orOther: false)
  private static let likely = FileEnd.Judgement.unsure(orOther: true)
  private static let minute = Duration.seconds(60)
  private static let hour = Duration.seconds(3600)

  private static let table: [Case] = [
    // What has a mark at its end is complete, whatever a feed announces.
    Case(.connection, .whole, .complete), Case(.message, .whole, announced: 9_000_000, .complete),
    Case(.connection, .whole, announced: 1, published: hour, .complete),
    // So is what is as long as announced: the feed and the server agree.
    Case(.connection, cut, announced: 1_000_000, .complete),
    Case(.message, .unknown, announced: 1_000_000, .complete),
    // Frames without a mark: a complete message counts unless the feed announces clearly more.
    Case(.message, .unmarked, .complete), Case(.message, .unmarked, announced: 999, .complete),
    Case(.message, .unmarked, announced: 1_020_000, .complete),
    Case(.message, .unmarked, announced: 2_000_000, likely),
    Case(.connection, .unmarked, likely), Case(.connection, .unmarked, announced: 999, likely),
    Case(.connection, .unmarked, announced: 2_000_000, likely),
    // They are complete if they play as long as was published, not if they play longer,
    Case(.connection, .unmarked, played: minute, published: .seconds(70), .complete),
    Case(.message, .unmarked, played: hour, announced: 9_000_000, published: hour, .complete),
    Case(.connection, .unmarked, played: hour, published: minute, likely),
    // and incomplete if the feed announces more of both.
    Case(.connection, .unmarked, played: minute, published: hour, likely),
    Case(
      .message, .unmarked, played: minute, announced: 2_000_000, published: hour,
      .incomplete("It plays less than was published.")),
    // Without a known format the same end decides.
    Case(.message, .unknown, .complete), Case(.message, .unknown, announced: 999, .complete),
    Case(.message, .unknown, announced: 1_000_001, same), Case(.connection, .unknown, same),
    Case(.connection, .unknown, announced: 9_000_000, same),
    // A cut last frame is common, so that the feed counts too.
    Case(.message, open, same), Case(.message, open, announced: 999, same),
    Case(.message, open, announced: 1_010_000, .complete),
    Case(.message, open, announced: 2_000_000, .incomplete("It is open.")),
    Case(.message, open, played: hour, announced: 2_000_000, published: hour, likely),
    Case(.connection, open, .incomplete("It is open.")),
    Case(.connection, open, announced: 990_000, likely),
    Case(.connection, open, played: minute, published: minute, likely),
    // What announces itself that something is missing needs twice a complete message.
    Case(.connection, cut, .incomplete("It is cut.")),
    Case(.connection, cut, played: minute, published: minute, .incomplete("It is cut.")),
    Case(.message, cut, same), Case(.message, cut, announced: 1_010_000, same),
    Case(.message, cut, announced: 2_000_000, .incomplete("It is cut.")),
    // No announcement makes it fail.
    Case(.message, cut, announced: .max, .incomplete("It is cut.")),
    Case(.message, open, announced: .min, same),
  ]

  @Test("what the audio, the feed and the message say", arguments: table.indices)
  func judgement(row: Int) {
    let row = Self.table[row]
    let end = FileEnd(
      row.mark, length: 1_000_000,
      structure: AudioStructure(ending: row.ending, duration: row.played),
      announced: row.announced, published: row.published)
    #expect(end.judgement == row.judgement, "\(row)")
  }

  @Test("what is accepted at once, verify does not report as truncated") func verify() {
    for row in Self.table where row.judgement == .complete && row.announced != 1_000_000 {
      let structure = AudioStructure(ending: row.ending, duration: row.played)
      #expect(FileFinding.cut(structure, published: row.published) == nil, "\(row)")
    }
  }
}

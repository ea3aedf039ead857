import PodcastKit

extension JSONForms {
  /// What `account` and `account add` write. The command for the password is left out.
  static let account = JSONForm<Account> {
    JSONMember("url", .address, \.url)
    JSONMember("user", .string, \.user)
    JSONMember("kind", .word, \.kind)
    JSONMember("device", .string, \.device)
    JSONMember("agreed", .count, \.agreed.count)
    JSONMember("withheld", .count) { $0.withheld ?? 0 }
    JSONMember("withheldEpisodes", .count) { $0.withheldEpisodes ?? 0 }
  }

  /// What `account sync` writes.
  static let accountReport = JSONForm<AccountReport> {
    JSONMember("changes", accountChange.list, \.changes)
    JSONMember("received", .count, \.received)
    JSONMember("sent", .count, \.sent)
    JSONMember("withheld", .count, \.withheld)
    JSONMember("withheldEpisodes", .count, \.withheldEpisodes)
  }

  private static let accountChange = JSONForm<AccountReport.Change> {
    JSONMember("change", .word, \.kind)
    JSONMember("feedUrl", .address, \.address)
  }
}

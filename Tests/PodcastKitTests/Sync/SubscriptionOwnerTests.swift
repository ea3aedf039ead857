import Glibc
import PodcastModel
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary

@Suite("The owner of the file with the subscriptions") struct SubscriptionOwnerTests {
  @Test(
    "a change does not make the commands of another user one's own", .enabled(if: geteuid() == 0))
  func owner() throws {
    let folder = try TemporaryFolder()
    let library = try #require(try Library.open(folder.path("library"), creating: true))
    let file = SubscriptionFile(library)
    try file.update { list throws(PodgetError) in
      var secret = Subscription(name: "a", title: "A", feedURL: "https://a.example/feed")
      secret.settings[.user] = "me"
      secret.settings[.passwordCommand] = "pass show a"
      list.add(secret)
    }
    #expect(try file.readTrusted().isOwn)
    let path = folder.path("library/.podget/\(SubscriptionFile.name)")
    try #require(chown(path, 12_345, 12_346) == 0)
    #expect(try !file.readTrusted().isOwn)
    try file.update { list throws(PodgetError) in
      list.add(Subscription(name: "b", title: "B", feedURL: "https://b.example/feed"))
    }
    #expect(try file.read().subscriptions.count == 2 && !file.readTrusted().isOwn)
    var status = stat()
    try #require(stat(path, &status) == 0)
    #expect(status.st_uid == 12_345)
  }
}

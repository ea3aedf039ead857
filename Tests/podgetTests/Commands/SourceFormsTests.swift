import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import podget

/// How a podcast is named, for all commands that take one.
@Suite("A podcast by its name, title, id, link or feed") struct SourceFormsTests {
  @Test func `each command that takes one says so in the same words`() throws {
    var found: Set<String> = []
    for command in try ManualPage.root().subcommands ?? [] {
      for argument in command.arguments ?? []
      where ["source", "sources", "subscription"].contains(argument.valueName) {
        found.insert(command.commandName)
        #expect(
          argument.abstract?.contains(SourceArguments.forms) == true, "\(command.commandName)")
      }
    }
    #expect(
      found == [
        "adopt", "artwork", "browse", "doctor", "download", "edit", "grep", "list", "mark", "new",
        "pause",
        "prune", "publish",
        "remove",
        "rename", "restore", "resume", "show", "star", "subscribe", "sync", "tag", "unpause",
        "unstar", "unsubscribe", "verify",
      ])
  }

  @Test func `each form means the podcast for each command`() async throws {
    let follower = try Follower(["/feed.xml": FeedHost.Feed([FeedHost.Item(1)])])
    var lookup = FeedHost.Feed()
    lookup.body = """
      {"resultCount":1,"results":[{"wrapperType":"track","kind":"podcast","collectionId":7,"trackId":7,
      "collectionName":"The Feed","feedUrl":"\(follower.host.origin)/feed.xml","trackCount":1}]}
      """
    follower.host["/lookup"] = lookup
    let podget = InProcess(environment: follower.variables)
    #expect(await podget.run(["subscribe", "7", "--name", "mine"]).status == .exited(0))
    #expect(await podget.run(["sync"]).status == .exited(0))
    try follower.folder.write("other/readme.txt", "no media")
    let forms = [
      "mine", "the feed", "7", "https://podcasts.apple.com/us/podcast/x/id7",
      "\(follower.host.origin)/feed.xml",
    ]
    let commands = [
      ["list"], ["grep", "Number"],
      ["publish", follower.folder.path("p"), "--base-url", "http://e.org", "--dry-run"],
      ["pause"], ["unpause"], ["resume"], ["prune", "--keep", "9", "--dry-run"],
      ["verify"],
      ["rename", "--template", "{title}.{ext}", "--dry-run"],
      ["remove", "Number", "--dry-run", "--source"],
      ["tag", "--dry-run", "--source"], ["star", "Number", "--source"],
      ["unstar", "Number", "--source"],
      ["mark", "--played", "Number", "--source"], ["download", "--dry-run"],
      ["show"], ["doctor"], ["new"],
      ["adopt", follower.folder.path("other"), "--dry-run"], ["subscribe"], ["sync", "--dry-run"],
      ["unsubscribe"],
    ]
    for form in forms {
      for command in commands {
        let result = await podget.run(command + [form])
        #expect(result.status == .exited(0), "\(command) \(form): \(result.error)")
      }
      _ = await podget.run(["subscribe", "7", "--name", "mine"])
    }
  }
}

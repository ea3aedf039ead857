import Foundation
import PodcastModel
import TestSupport
import Testing

@Suite("Name planning") struct NamePlannerTests {
  let podcast = Podcast(id: 1, title: "Show")
  let planner = NamePlanner()

  func episode(_ guid: String, _ title: String) -> Episode {
    Episode(guid: guid, title: title, enclosure: Enclosure(url: "https://a/\(guid).mp3"))
  }

  func key(_ episode: Episode) -> String { EpisodeIdentity.key(podcast: podcast, episode: episode) }

  func stems(
    _ chosen: [Episode], among all: [Episode], taken: TakenNames = TakenNames()
  ) -> [String] {
    planner.plans(for: podcast, episodes: chosen, among: all, taken: taken).map(\.stem)
  }

  @Test("a name without conflict is the template's") func plain() {
    let all = [episode("1", "One"), episode("2", "Two")]
    let plans = planner.plans(for: podcast, episodes: all, among: all, taken: TakenNames())
    #expect(plans.map(\.path) == ["Show/One.mp3", "Show/Two.mp3"])
    #expect(plans.map(\.key) == all.map(key))
  }

  @Test("all episodes of a conflict get a suffix, whichever are chosen") func clash() {
    let all = [episode("1", "Über"), episode("2", "u\u{308}ber"), episode("3", "Other")]
    let expected = zip(all, ["Über", "über"]).map { "\($1) [\(key($0).prefix(6))]" }
    #expect(stems(all, among: all) == expected + ["Other"])
    #expect(stems([all[1]], among: all) == [expected[1]])
    #expect(stems([all[1]], among: all.reversed()) == [expected[1]])
  }

  @Test("a conflicting foreign file is not changed, whatever its extension") func foreign() {
    let one = episode("1", "Mr. One")
    for name in ["mr. one.m4a", "MR. ONE"] {
      var taken = TakenNames()
      taken.add(folder: "show", name: name, owner: nil)
      #expect(stems([one], among: [one], taken: taken) == ["Mr. One [\(key(one).prefix(6))]"])
    }
    var elsewhere = TakenNames()
    elsewhere.add(folder: "Other", name: "Mr. One.mp3", owner: nil)
    #expect(stems([one], among: [one], taken: elsewhere) == ["Mr. One"])
  }

  @Test("a recorded name stays, and others get a suffix") func recorded() {
    let old = episode("1", "Renamed")
    let new = episode("2", "First title")
    var taken = TakenNames()
    taken.add(folder: "Old folder", name: "First title.mp3", owner: key(old))
    let plans = planner.plans(for: podcast, episodes: [old, new], among: [old, new], taken: taken)
    #expect(plans.map(\.path) == ["Old folder/First title.mp3", "Show/First title.mp3"])

    var here = TakenNames()
    here.add(folder: "Show", name: "First title.mp3", owner: key(old))
    #expect(
      stems([old, new], among: [old, new], taken: here)
        == ["First title", "First title [\(key(new).prefix(6))]"])
  }

  @Test("a later run names the rest of a conflict as the first would have") func later() {
    let all = [episode("1", "Same"), episode("2", "Same")]
    let atOnce = stems(all, among: all)
    var taken = TakenNames()
    taken.add(folder: "Show", name: atOnce[0] + ".mp3", owner: key(all[0]))
    #expect(stems(all, among: all, taken: taken) == atOnce)
  }

  @Test("a conflicting suffix becomes longer") func longerSuffix() {
    let one = episode("1", "One")
    var taken = TakenNames()
    taken.add(folder: "Show", name: "One.mp3", owner: nil)
    for length in [6, 8, 12, 16, 24, 32] {
      taken.add(folder: "Show", name: "One [\(key(one).prefix(length))].ogg", owner: nil)
    }
    #expect(stems([one], among: [one], taken: taken) == ["One [\(key(one))-2]"])
    let claimed = episode("2", "Two [\(key(episode("1", "Two")).prefix(6))]")
    let all = [episode("1", "Two"), episode("3", "Two"), claimed]
    #expect(
      stems([all[0], claimed], among: all) == ["Two [\(key(all[0]).prefix(8))]", claimed.title])
  }

  @Test("a record cannot lead outside the library") func escape() {
    let one = episode("1", "One")
    for (folder, stem) in [("..", "x"), ("/etc", "x"), ("a/../..", "x"), ("a", "../x"), ("a", "")] {
      var taken = TakenNames()
      taken.add(folder: folder, stem: stem, owner: key(one))
      #expect(taken.recorded(key(one)) == nil)
      #expect(stems([one], among: [one], taken: taken) == ["One"])
    }
  }

  @Test("a guid listed twice is one episode, with the same name in any order") func repeated() {
    let all = [episode("1", "B"), episode("1", "A")]
    #expect(stems(all, among: all) == ["A"])
    #expect(stems(all.reversed(), among: all.reversed()) == ["A"])
  }

  @Test("random lists get legal, unique names in any order") func random() {
    var generator = SeededGenerator(seed: 2)
    for _ in 0..<20 {
      var all: [Episode] = []
      for index in 0..<60 { all.append(episode("\(index)", generator.title())) }
      for index in 0..<30 {
        all.append(episode("copy \(index)", all[index * 2].title.uppercased()))
      }
      let plans = planner.plans(for: podcast, episodes: all, among: all, taken: TakenNames())
      #expect(plans.count == all.count)
      #expect(plans.allSatisfy { isLegal($0.stem) && $0.stem.utf8.count + 9 <= 255 })
      #expect(Set(plans.map { FileName.comparisonKey($0.stem) }).count == all.count)

      let shuffled = all.shuffled(using: &generator)
      let half = Array(shuffled.prefix(30))
      let again = planner.plans(for: podcast, episodes: half, among: shuffled, taken: TakenNames())
      let names = Dictionary(uniqueKeysWithValues: plans.map { ($0.key, $0.stem) })
      #expect(again.allSatisfy { names[$0.key] == $0.stem })
    }
  }

  @Test("names that others use count, and those recorded here count more") func others() {
    let (one, two) = (episode("1", "One"), episode("2", "Two"))
    var planned = TakenNames()
    planned.add(folder: "Planned", stem: "First", owner: key(one))
    planned.add(folder: "Show", stem: "Two", owner: "another")
    var taken = TakenNames()
    taken.add(planned)
    #expect(!taken.isFree(folder: "show", stem: "TWO", for: key(two)))
    let all = [one, two]
    #expect(
      planner.plans(for: podcast, episodes: all, among: all, taken: taken).map(\.path)
        == ["Planned/First.mp3", "Show/Two [\(key(two).prefix(6))].mp3"])
    taken.add(folder: "Here", stem: "Recorded", owner: key(one))
    #expect(taken.recorded(key(one))?.stem == "Recorded")
  }
}

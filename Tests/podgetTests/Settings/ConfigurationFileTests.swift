import ArgumentParser
import PodcastModel
import TestSupport
import Testing

@testable import podget

/// What podget reads from the text of a configuration file.
@Suite struct ConfigurationFileTests {
  private func read(_ text: String) throws -> ConfigurationFile {
    try ConfigurationFile(text, path: "/c.yaml", home: "/home/ada/")
  }

  private func complaint(_ text: String) -> String? {
    do throws(ValidationError) {
      _ = try ConfigurationFile(text, path: "/c.yaml", home: "/home/ada")
      return nil
    } catch {
      return error.message
    }
  }

  private static let mistakes: [(String, String)] = [
    // Keys.
    ("latest: 3\njob: 8\n", "2:1: there is no key \"job\"; did you mean jobs?"),
    ("no_wait: true\n", "1:1: there is no key \"no_wait\"; did you mean no-wait?"),
    ("Jobs: 1\n", "1:1: there is no key \"Jobs\"; did you mean jobs?"),
    ("  frobnicate: 1\n", "1:3: there is no key \"frobnicate\"."),
    ("a\u{202E}b: 1\n", "1:1: there is no key \"ab\"."),
    ("<<: {jobs: 3}\n", "1:1: there is no key \"<<\"."),
    ("jobs: 1\njobs: 2\n", "2:1: the key \"jobs\" is there more than once."),
    (
      "# jobs\njobs: 1\nlatest: 2\ntemplate: |\n  jobs: 3\n\n'jobs' : 2\njobs: 4\n",
      "7:1: the key \"jobs\" is there more than once."
    ),
    ("{jobs: 1, jobs: 2}\n", "1:11: the key \"jobs\" is there more than once."),
    ("? [a, b]\n: 1\n", "1:3: a key is one word, such as jobs."),
    // Numbers.
    ("# A comment.\n\njobs: 500\n", "3:7: jobs takes a number from 1 to 256."),
    ("jobs: many\n", "1:7: jobs takes a number from 1 to 256."),
    ("jobs: \"8\"\n", "1:7: jobs takes 8 without quotes."),
    ("jobs: \"many\"\n", "1:7: jobs takes a number from 1 to 256."),
    ("jobs: 8.5\n", "1:7: jobs takes a number from 1 to 256."),
    ("jobs: 99999999999999999999\n", "1:7: jobs takes a number from 1 to 256."),
    ("latest: -1\n", "1:9: latest takes a number that is 0 or more."),
    ("retry-delay: .inf\n", "1:14: retry-delay takes a number of seconds from 0 to 3600."),
    (
      "stall-timeout: nan\n",
      "1:16: stall-timeout takes a number of seconds above 0, at most 86400."
    ),
    ("trash-days: 36501\n", "1:13: trash-days takes days from 0 to 36500."),
    ("limit-rate: 0\n", "1:13: limit-rate takes bytes a second, such as 500K or 2M."),
    ("interval: 0s\n", "1:11: interval takes a duration from 1 second, such as 30m or 1h."),
    (
      "min-duration: long\n",
      "1:15: min-duration: \"long\" is not a duration like 90, 20m, 1h30m or 1:30:00."
    ),
    // Booleans.
    ("no-wait: y\n", "1:10: no-wait takes true, yes, on or 1, or false, no, off or 0."),
    ("no-wait: 2\n", "1:10: no-wait takes true, yes, on or 1, or false, no, off or 0."),
    ("no-wait: 'true'\n", "1:10: no-wait takes true without quotes."),
    // Texts.
    ("color: red\n", "1:8: color takes auto, always or never."),
    ("type: bonu\n", "1:7: type takes full, trailer or bonus."),
    ("country: deu\n", "1:10: country takes a country in two letters, such as us or gb."),
    ("user-agent: ''\n", "1:13: user-agent is empty."),
    ("user-agent: \"a\\nb: c\"\n", "1:13: user-agent takes one line without control characters."),
    ("after-sync: '  '\n", "1:13: after-sync is empty."),
    (
      "since: soon\n",
      "1:8: since: \"soon\" is neither a day like 2024-03-01 nor an age like 30d, 2w, 6m, 1y."
    ),
    (
      "match: (\n",
      "1:8: match: \"(\" is not a regular expression (expected ')'); write \\ before a character "
        + "such as [ or ( that stands for itself."
    ),
    (
      "template: '{title}'\n",
      "1:11: template: The template must end in .{ext}, as in {date} - {title}.{ext}."
    ),
    (
      "library: Podcasts\n",
      "1:10: library takes a path that begins with / or ~/, so that it is the same in every folder."
    ),
    (
      "cacert: ~ada/x\n",
      "1:9: cacert takes a path that begins with / or ~/, so that it is the same in every folder."
    ),
    // What is no value.
    ("jobs:\n", "1:6: jobs has no value; remove the line, or give it one."),
    ("library: ~\n", "1:10: library has no value; remove the line, or give it one."),
    ("match: null\n", "1:8: match has no value; remove the line, or give it one."),
    ("jobs: [1, 2]\n", "1:7: jobs takes one value, not a list or a mapping."),
    ("jobs:\n  host: 2\n", "2:3: jobs takes one value, not a list or a mapping."),
    ("jobs: &a 8\n", "1:7: podget knows no anchors and aliases (&name, *name)."),
    ("jobs: &a 8\nlatest: *a\n", "1:7: podget knows no anchors and aliases (&name, *name)."),
    ("jobs: !number 8\n", "1:7: podget knows no tags, such as !number."),
    // No mapping, and no YAML.
    ("- jobs: 8\n", "1:1: the file takes lines of the form key: value, such as jobs: 8."),
    ("jobs\n", "1:1: the file takes lines of the form key: value, such as jobs: 8."),
    (
      "jobs: 8\nlatest: 5: 6\n",
      "2:10: this is not YAML: mapping values are not allowed in this context."
    ),
    (
      "match: \"a\n",
      "2:1: this is not YAML: while scanning a quoted scalar found unexpected end of stream."
    ),
    ("a: 1\nä\u{1}: 2\n", "2:2: this is not YAML: control characters are not allowed."),
    (
      "jobs: 8\n---\nlatest: 3\n",
      "2:1: the file takes one document, and another one begins here."
    ),
  ]

  @Test(arguments: mistakes)
  func `a mistake is one sentence with its line and column`(text: String, sentence: String) {
    #expect(complaint(text) == "/c.yaml:\(sentence)")
  }

  private static let values: [(String, String, String, Int)] = [
    ("jobs: 8", "jobs", "8", 1), ("---\njobs: 8 # more\n...\n", "jobs", "8", 2),
    ("\u{FEFF}jobs: 8\r\nlatest: 3\r\n", "latest", "3", 2), ("{jobs: 8}", "jobs", "8", 1),
    ("library: ~/Podcasts", "library", "/home/ada/Podcasts", 1),
    ("library: '~/My shows'", "library", "/home/ada/My shows", 1),
    ("library: /srv/x", "library", "/srv/x", 1),
    ("no-wait: true", "no-wait", "true", 1), ("no-wait: false", "no-wait", "false", 1),
    // YAML itself would read these as a boolean, a sexagesimal number, a date and null.
    ("country: no", "country", "no", 1), ("min-duration: 1:30:00", "min-duration", "1:30:00", 1),
    ("since: 2024-03-01", "since", "2024-03-01", 1), ("match: 'null'", "match", "null", 1),
    ("exclude: a *b & c*", "exclude", "a *b & c*", 1),
    ("match: '.*a.*b.*c.*d.*e.*f.*'", "match", ".*a.*b.*c.*d.*e.*f.*", 1),
    ("after-sync: |\n  a 'b c'\n", "after-sync", "a 'b c'\n", 1),
    ("retry-delay: 0.5", "retry-delay", "0.5", 1),
  ]

  @Test(arguments: values)
  func `a value is a text with its line`(
    text: String, key: String, value: String, line: Int
  ) throws {
    let entry = try #require(try read(text).entries[key])
    #expect(entry.text == value && entry.place.line == line)
  }

  @Test(arguments: ["", "\n", "# Nothing.\n", "---\n", "~\n"])
  func `a file without keys is empty`(text: String) throws {
    #expect(try read(text).entries.isEmpty)
  }

  private static func nest(_ count: Int, in open: String = "[", around text: String = "") -> String
  {
    String(repeating: open, count: count) + text + String(repeating: "]", count: count)
  }

  private static func lines(_ count: Int, _ line: (Int) -> String) -> String {
    var text = ""
    for number in 1...count { text += line(number) + "\n" }
    return text
  }

  private static let hostile: [String] = {
    var texts: [String] = []
    for (piece, count) in [("[", 1 << 20), ("{a: ", 1 << 18), ("- ", 1 << 19), ("? ", 1 << 19)] {
      texts.append(String(repeating: piece, count: count))
    }
    texts.append("jobs: " + nest(999))
    texts.append(lines(1 << 16) { "a\($0): 1" })
    texts.append("jobs: [" + String(repeating: "1,", count: 1 << 18) + "]")
    texts.append(String(repeating: "jobs: 1\n", count: 1 << 16))
    // A billion nodes, as a value and as a key, and deep nesting.
    let twice = { (number: Int) in "&b\(number) [*b\(number - 1), *b\(number - 1)]" }
    texts.append("a: &b0 [1, 1]\n" + lines(30) { "b\($0): \(twice($0))" })
    texts.append("? &b0 [1]\n: 1\n" + lines(30) { "? \(twice($0))\n: 1" })
    texts.append(
      "a: &b0 1\n" + lines(40) { "b\($0): &b\($0) " + nest(900, around: "*b\($0 - 1)") })
    texts.append(
      "a: &b0 1\n" + lines(4) { "b\($0): &b\($0) " + nest(900, around: "*b\($0 - 1)") })
    texts += [
      "jobs: !%ED%A0%80 7", "jobs: \"\\ud800\"", "jobs: \"\\0\"", "\u{0}",
      "%YAML 9.9\n---\njobs: 1", "&a &b jobs: 1", "*a : 1", "!<x> jobs: 1",
      "%TAG ! tag:x,2000:\n---\njobs: !a 1",
    ]
    return texts
  }()

  /// Each is an error in one sentence: none ends the process, and none takes long.
  @Test(arguments: hostile.indices)
  func `a hostile text is refused`(place: Int) {
    #expect(complaint(Self.hostile[place])?.hasPrefix("/c.yaml:") == true)
  }

  /// Pieces of the syntax in random order.
  @Test func `no text ends the process`() {
    var random = SeededGenerator(seed: 20_240_301)
    let pieces = [
      "jobs", "latest", ":", ": ", "\n", "\n  ", "- ", "?", "? ", "[", "]", "{", "}", ",", "\"",
      "'", "|", ">", "|2-\n", "&a ", "*a", "!t ", "!!int ", "#", " ", "\t", "%YAML 1.1\n", "---\n",
      "...\n", "\\x", "\\u12", "~", "null", "true", "8", "é", "\u{FEFF}", "\u{85}", "\u{2028}",
      "\u{0}", "\r", "<<", "=",
    ]
    for _ in 0..<20_000 {
      let count = Int.random(in: 1...24, using: &random)
      let text = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      if let complaint = complaint(text) { #expect(complaint.hasPrefix("/c.yaml:"), "\(text)") }
    }
  }

  @Test func `the file is in the folder of the specification`() {
    let path = ConfigurationFile.path
    #expect(path(["HOME": "/home/ada"]) == "/home/ada/.config/podget/config.yaml")
    #expect(path(["HOME": "/"]) == "/.config/podget/config.yaml")
    #expect(path(["HOME": "/h", "XDG_CONFIG_HOME": "/x/"]) == "/x/podget/config.yaml")
    for ignored in ["", "x", "./x", "~/x"] {
      #expect(path(["HOME": "/h", "XDG_CONFIG_HOME": ignored]) == "/h/.config/podget/config.yaml")
    }
    #expect(path([:]) == nil && path(["HOME": ""]) == nil)
  }

  @Test func `the first file has every key, and is right without its marks`() throws {
    let template = ConfigurationTemplate.text
    #expect(try read(template).entries.isEmpty)
    let lines = template.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.hasPrefix("#") && !line.hasPrefix("# ") ? line.dropFirst() : line
    }
    let file = try read(lines.joined(separator: "\n"))
    #expect(file.entries.keys.sorted() == SettingTable.all.map(\.name).sorted())
    // Where there is a default, the line sets it.
    let set = SettingSources(environment: ["HOME": "/home/ada"], file: file)
    let unset = SettingSources(environment: ["HOME": "/home/ada"])
    for setting in SettingTable.all where setting.standardText == nil {
      #expect(
        try setting.reported(by: set).value == setting.reported(by: unset).value,
        "\(setting.name)")
    }
  }
}

import Foundation
import Glibc
import TestSupport
import Testing

@testable import podget

/// `podget config`, and what the configuration does to other commands.
@Suite(.serialized) struct ConfigTests {
  private let folder: TemporaryFolder
  private let file = ".config/podget/config.yaml"

  init() throws { folder = try TemporaryFolder() }

  private var variables: [String: String] { ["HOME": folder.path, "LANG": "C.UTF-8"] }

  private func podget(
    _ arguments: String..., environment: [String: String] = [:]
  ) async throws -> RunningProcess.Result {
    await InProcess(environment: variables.merging(environment) { $1 }).run(arguments)
  }

  /// Runs the built program, whose editor writes to its standard output.
  private func edit(
    with editor: String, visual: String = ""
  ) async throws -> RunningProcess.Result {
    try await RunningProcess(
      .podget, ["config", "edit"],
      environment: variables.merging(["EDITOR": editor, "VISUAL": visual]) { $1 }
    ).waitForExit()
  }

  /// The members of each key, each as the text of its JSON.
  private func settings(
    environment: [String: String] = [:]
  ) async throws -> [String: [String: String]] {
    let result = try await podget("config", "--json", environment: environment)
    #expect(result.status == .exited(0) && result.error.isEmpty, "\(result.error)")
    let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
    let settings = try #require(object as? [String: [String: Any]])
    return try settings.mapValues { members in
      try members.mapValues { value in
        let data = try JSONSerialization.data(
          withJSONObject: value, options: [.fragmentsAllowed, .withoutEscapingSlashes])
        return String(decoding: data, as: UTF8.self)
      }
    }
  }

  private func write(_ text: String) throws { try folder.write(file, text) }

  /// The keys with the values that the first file shows, as YAML.
  private func examples() -> [(key: String, value: String)] {
    ConfigurationTemplate.text.split(separator: "\n").compactMap { line in
      guard line.hasPrefix("#"), !line.hasPrefix("# "), let colon = line.firstIndex(of: ":")
      else { return nil }
      return (
        String(line[line.index(after: line.startIndex)..<colon]),
        String(line[line.index(colon, offsetBy: 2)...])
      )
    }
  }

  @Test func `without a file everything is the default`() async throws {
    let settings = try await settings()
    #expect(settings.count == SettingTable.all.count)
    #expect(settings.values.allSatisfy { $0["origin"] == "\"default\"" })
    for (key, value) in [
      ("latest", "5"), ("jobs", "4"), ("library", "\"\(folder.path("Podcasts"))\""),
      ("match", "null"), ("no-wait", "false"), ("retry-delay", "1"), ("color", "\"auto\""),
    ] {
      #expect(settings[key]?["value"] == value)
    }
    #expect(settings["latest"]?.filter { $0.value == "null" }.count == 3)
    #expect(folder.files.isEmpty)
  }

  @Test func `every key is accepted in the file and as a variable`() async throws {
    let examples = examples()
    #expect(try await examples.map(\.key).sorted() == settings().keys.sorted())
    try write(examples.map { "\($0.key): \($0.value)\n" }.joined())
    let fromFile = try await settings()
    var environment: [String: String] = [:]
    for (place, example) in examples.enumerated() {
      let setting = try #require(fromFile[example.key])
      #expect(setting["origin"] == "\"file\"" && setting["line"] == "\(place + 1)")
      #expect(setting["file"] == "\"\(folder.path(file))\"" && setting["variable"] == "null")
      let name = "PODGET_" + example.key.uppercased().replacing("-", with: "_")
      environment[name] = example.value.trimmingCharacters(in: ["'"])
        .replacing("~", with: folder.path)
    }
    for (key, setting) in try await settings(environment: environment) {
      #expect(setting["origin"] == "\"environment\"" && setting["line"] == "null", "\(key)")
      #expect(setting["value"] == fromFile[key]?["value"], "\(key)")
      let variable = try #require(setting["variable"])
      #expect(environment[String(variable.dropFirst().dropLast())] != nil, "\(key)")
    }
  }

  @Test
  func `an option comes before a variable, that before the file, and that before the default`()
    async throws
  {
    func library(_ arguments: String..., environment: [String: String] = [:]) async throws -> String
    {
      let result = await InProcess(environment: variables.merging(environment) { $1 })
        .run(["list"] + arguments)
      return result.error.split(separator: " ").first { $0.hasPrefix("/") }.map(String.init) ?? ""
    }
    #expect(try await library() == folder.path("Podcasts"))
    try write("library: ~/file\n")
    #expect(try await library() == folder.path("file"))
    let variable = ["PODGET_LIBRARY": folder.path("variable")]
    #expect(try await library(environment: variable) == folder.path("variable"))
    #expect(
      try await library("-d", folder.path("option"), environment: variable)
        == folder.path("option"))
  }

  @Test func `a mistake is one sentence with its place, and 64`() async throws {
    try write("latest: 3\njobs: 500\n")
    let path = folder.path(file)
    let wrong = "podget: \(path):2:7: jobs takes a number from 1 to 256.\n"
    for arguments in [
      ["list"], ["config"], ["config", "get", "latest"], ["download", "1", "--dry-run"],
      ["star", "1"], ["prune", "--keep", "1"], ["doctor", "http://127.0.0.1:1/"],
      ["verify"], ["show", "1"], ["search", "x"], ["resume"], ["adopt", "."],
    ] {
      let result = await InProcess(environment: variables).run(arguments)
      #expect(result.status == .exited(64) && result.output.isEmpty, "\(arguments)")
      #expect(result.error == wrong, "\(arguments)")
    }
    try write("latest: 3\njob: 5\n")
    let unknown = try await podget("list")
    #expect(
      unknown.error == "podget: \(path):2:1: there is no key \"job\"; did you mean jobs?\n")
    #expect(unknown.status == .exited(64))
  }

  @Test func `a mistake does not stop what needs no setting`() async throws {
    try write("jobs: [\n")
    for arguments in [
      ["--version"], ["--help"], ["help", "config"], ["help", "config", "get"],
      ["help", "environment"], ["help", "json", "config"], ["list", "--help"], ["config", "path"],
    ] {
      let result = await InProcess(environment: variables).run(arguments)
      #expect(result.status == .exited(0) && result.error.isEmpty, "\(arguments)")
    }
    let edited = try await edit(with: "echo 'jobs: 7' >")
    #expect(edited.status == .exited(0) && edited.error.isEmpty)
    #expect(try await podget("config", "get", "jobs").output == "7\n")
  }

  @Test func `what is not a readable text is one sentence`() async throws {
    let path = folder.path(file)
    try folder.write(file, [0x61, 0xFF])
    var result = try await podget("list")
    #expect(result.error == "podget: \(path) is not UTF-8 text.\n")
    try folder.write(file, [UInt8](repeating: 0x23, count: (1 << 20) + 1))
    result = try await podget("list")
    #expect(result.error == "podget: \(path) cannot be read: it is larger than 1 MiB.\n")
    unlink(path)
    mkfifo(path, 0o600)
    result = try await podget("list")
    #expect(result.status == .exited(64))
    #expect(result.error == "podget: \(path) cannot be read: it is not a regular file.\n")
    unlink(path)
    mkdir(path, 0o700)
    #expect(try await podget("list").status == .exited(64))
    rmdir(path)
    symlink(folder.path("elsewhere.yaml"), path)
    #expect(try await podget("list").status == .exited(0))
    try folder.write("elsewhere.yaml", "jobs: 6\n")
    #expect(try await podget("config", "get", "jobs").output == "6\n")
  }

  @Test func `the table names the origin of each value`() async throws {
    try write("# Mine.\njobs: 8\nafter-download: call https://example.com/hook?token=secret\n")
    let result = try await podget("config", environment: ["PODGET_LATEST": "2"])
    let rows = result.lines.map { $0.split(separator: " ").map(String.init) }
    #expect(rows.first == ["KEY", "VALUE", "ORIGIN"])
    #expect(rows.contains(["jobs", "8", "\(folder.path(file)):2"]))
    #expect(rows.contains(["jobs-per-host", "8", "default"]))
    #expect(rows.contains(["latest", "2", "PODGET_LATEST"]))
    #expect(rows.contains(["match", "-", "default"]))
    #expect(!result.output.contains("secret"))
  }

  @Test func `get prints one value alone`() async throws {
    try write("match: 'a|b'\nmin-duration: 1h\nlimit-rate: 2K\nretry-delay: 0.5\n")
    for (key, text) in [
      ("match", "a|b"), ("min-duration", "3600"), ("limit-rate", "2048"), ("retry-delay", "0.5"),
      ("exclude", ""), ("quiet", "false"), ("library", folder.path("Podcasts")),
    ] {
      let result = try await podget("config", "get", key)
      #expect(result.output == "\(text)\n" && result.status == .exited(0) && result.error.isEmpty)
    }
    let unknown = try await podget("config", "get", "max-durations")
    #expect(unknown.status == .exited(64) && unknown.output.isEmpty)
    #expect(
      unknown.error == "podget: There is no key \"max-durations\"; did you mean max-duration?\n")
  }

  @Test func `path names the file, whether or not it exists`() async throws {
    #expect(try await podget("config", "path").output == folder.path(file) + "\n")
    let other = ["XDG_CONFIG_HOME": folder.path("x")]
    #expect(
      try await podget("config", "path", environment: other).output
        == folder.path("x/podget/config.yaml") + "\n")
    let relative = ["XDG_CONFIG_HOME": "x"]
    #expect(
      try await podget("config", "path", environment: relative).output == folder.path(file) + "\n")
    let none = try await podget("config", "path", environment: ["HOME": ""])
    #expect(none.status == .exited(1) && none.error.contains("HOME is not set"))
  }

  @Test func `init writes a file for the user only, and never overwrites`() async throws {
    let first = try await podget("config", "init")
    #expect(first.status == .exited(0) && first.output == folder.path(file) + "\n")
    #expect(String(decoding: try folder.read(file), as: UTF8.self) == ConfigurationTemplate.text)
    for (name, mode) in [(file, 0o600), (".config/podget", 0o700), (".config", 0o700)] {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name))
      #expect(attributes[.posixPermissions] as? Int == mode)
    }
    try write("jobs: 8\n")
    let second = try await podget("config", "init")
    #expect(second.status == .exited(1) && second.output.isEmpty)
    #expect(
      second.error
        == "podget: \(folder.path(file)) exists already; podget config edit changes it.\n")
    #expect(String(decoding: try folder.read(file), as: UTF8.self) == "jobs: 8\n")
  }

  @Test func `edit creates the file, runs the editor and checks the result`() async throws {
    let script = try folder.writeProgram(
      "editor", "#!/bin/sh\necho \"$1\"\necho \"$2: 9\" >>\"$3\"\n")
    let edited = try await edit(with: "false", visual: "'\(script)' 'with spaces' jobs")
    #expect(edited.status == .exited(0) && edited.output == "with spaces\n", "\(edited.error)")
    let text = String(decoding: try folder.read(file), as: UTF8.self)
    #expect(text == ConfigurationTemplate.text + "jobs: 9\n")
    let line = text.count { $0 == "\n" } + 1
    let bad = try await edit(with: "'\(script)' x latst")
    #expect(bad.status == .exited(1))
    #expect(
      bad.error == "podget: \(folder.path(file)):\(line):1: there is no key \"latst\"; "
        + "did you mean latest?\n")
    let failed = try await edit(with: "false")
    #expect(failed.status == .exited(1) && failed.error == "podget: The editor false failed.\n")
  }

  /// An editor that has the terminal, and waits until the test ends it.
  ///
  /// - Parameter suffix: after its name in the variable.
  private func startEditor(_ suffix: String = "") async throws -> PseudoTerminalProcess {
    let script = try folder.writeProgram(
      "editor",
      """
      #!/bin/sh
      trap 'echo interrupted' INT
      trap 'echo terminated; exit 0' TERM
      test -t 0 && test -t 1 && echo ready
      until [ -e "\(folder.path("done"))" ]; do sleep 0.02; done

      """)
    let process = try PseudoTerminalProcess(
      .podget, ["config", "edit"],
      environment: variables.merging(["EDITOR": script + suffix]) { $1 })
    try await process.waitForScreen("the editor runs") { $0.text.contains("ready") }
    return process
  }

  @Test(arguments: ["", " 2>&1"])
  func `the editor has the terminal, and Ctrl-C is its own`(suffix: String) async throws {
    let process = try await startEditor(suffix)
    for count in 1...3 {
      process.type("\u{03}")
      try await process.waitForScreen("the editor gets Ctrl-C") { screen in
        screen.text.ranges(of: "interrupted").count == count
      }
    }
    #expect(process.isRunning)
    try folder.write("done", "")
    #expect(try await process.waitForExit() == .exited(0))
  }

  @Test func `SIGTERM ends the editor, then podget`() async throws {
    let process = try await startEditor()
    process.signal(SIGTERM)
    #expect(try await process.waitForExit() == .exited(143))
    #expect(process.screen.text.contains("terminated"))
  }

  @Test func `the selection of the file is for downloads, not for lists`() async throws {
    let episodes = (1...7).map { PodcastServer.Episode(Int64(8 - $0), "Number \(8 - $0)") }
    let listener = try Listener(PodcastServer(episodes))
    try listener.folder.write(file, "latest: 6\nexclude: number 7\n")
    func planned(_ arguments: String...) async throws -> [String] {
      let result = try await listener.run(
        ["download", "--dry-run", "--json"] + arguments)
      #expect(result.status == .exited(0), "\(result.error)")
      return try result.events().filter { $0.name == "planned" }.compactMap(\.title)
    }
    let id = listener.podcast
    #expect(try await planned(id).count == 6)
    #expect(try await planned(id).contains("Number 7") == false)
    #expect(try await planned(id, "--latest", "2") == ["Number 6", "Number 5"])
    #expect(try await planned(id, "--all").count == 6)
    #expect(try await planned(id, "--exclude", "x", "--latest", "1") == ["Number 7"])
    // The user named it, so it is downloaded.
    #expect(try await planned(id, "--episode", "7") == ["Number 7"])
    #expect(
      try await planned("https://podcasts.apple.com/us/podcast/name/id1386867488?i=7")
        == ["Number 7"])
    _ = try await listener.run("download", id, "--episode", "7", "--json")
    #expect(try await listener.run("list", "--json").objects.count == 1)
    #expect(
      try await listener.run("show", id, "--json").values("episode", "title")
        == (3...7).reversed().map { "Number \($0)" })
    try listener.folder.write(file, "max-duration: 1m\n")
    let crossed = try await listener.run("download", id, "--min-duration", "2m", "--dry-run")
    #expect(crossed.status == .exited(64))
    #expect(
      crossed.error
        == "podget: min-duration is longer than max-duration; podget config shows both.\n")
  }

  @Test func `the file changes how a download runs and what it writes`() async throws {
    let listener = try Listener(PodcastServer([.init(1, "One"), .init(2, "Two")]))
    try listener.folder.write(file, "no-checksum: true\nquiet: true\ntemplate: '{id}.{ext}'\n")
    let quiet = try await listener.run("download", listener.podcast, "--latest", "1")
    #expect(quiet.status == .exited(0) && quiet.error.isEmpty && listener.files == ["2.mp3"])
    let listed = try await listener.run("list", "--json")
    #expect(try listed.values("sha256") == ["null"])
    let verbose = try await listener.run("download", listener.podcast, "-v")
    #expect(verbose.error.contains("1.mp3") && verbose.error.contains("planned"))
    try listener.folder.write(file, "color: always\n")
    #expect(try await listener.run("verify", "-v").output.contains("\u{1B}["))
    let plain = try await listener.run("verify", "-v", "--color", "never")
    #expect(!plain.output.isEmpty && !plain.output.contains("\u{1B}["))
  }

  @Test func `a mistyped command of config is answered with the nearest one`() async throws {
    let result = try await podget("config", "pth")
    #expect(result.status == .exited(64) && result.output.isEmpty)
    #expect(
      result.error.hasPrefix(
        "podget: There is no command \"config pth\"; did you mean \"config path\"?\n"))
    #expect(try await podget("help", "config", "pth").status == .exited(64))
    #expect(try await podget("help", "list", "get").status == .exited(64))
  }
}

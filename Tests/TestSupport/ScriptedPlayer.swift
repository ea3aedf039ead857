/// A program that speaks as mpv does at its standard input, and plays nothing: its time stands still until it is
/// told to go elsewhere. It does what it is told to at some times.
public struct ScriptedPlayer: Sendable {
  /// What it does at once when it is sent to a time, in seconds.
  public enum Place {
    /// It says that the file has ended, and ends.
    public static let end = 600
    /// It says that it cannot play the file, and ends.
    public static let broken = 601
    /// It dies.
    public static let death = 602
    /// It writes without an end and without a line.
    public static let flood = 603
    /// It writes what no mpv says.
    public static let nonsense = 604
  }

  /// Its path; the program is called mpv.
  public let path: String
  private let folder: TemporaryFolder

  /// Writes the program into a folder.
  ///
  /// - Parameter setup: Python that runs first.
  public init(in folder: TemporaryFolder, setup: String = "") throws {
    self.folder = folder
    path = try folder.writeProgram(
      "bin/mpv",
      "#!/usr/bin/env python3\nimport os\nlog = \"\(folder.path("mpv.log"))\"\n\(setup)\n"
        + Self.program)
  }

  /// The folder that `PATH` must have to find it.
  public var binaries: String { folder.path("bin") }

  /// What it was started with and asked for, a line each.
  public var log: [String] {
    guard let bytes = try? folder.read("mpv.log") else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// The process numbers of all that were started.
  public var processes: [Int32] { numbers(1) }
  /// Those of what has started them.
  public var parents: [Int32] { numbers(2) }

  private func numbers(_ place: Int) -> [Int32] {
    log.compactMap { line -> Int32? in
      let words: [Substring] = line.split(separator: " ")
      return words.count == 3 && words[0] == "process" ? Int32(words[place]) : nil
    }
  }

  private static let program = #"""
    import json, signal, socket, sys
    def note(text):
      with open(log, "a") as file: file.write(text + "\n")
    def option(name):
      return next((word.split("=", 1)[1] for word in sys.argv if word.startswith("--" + name + "=")), None)
    note("process %d %d" % (os.getpid(), os.getppid()))
    note("plays %s from %s at %s" % (os.path.basename(sys.argv[-1]), option("start"), option("speed")))
    if option("input-ipc-client") != "fd://0": os._exit(1)
    peer = socket.socket(fileno=os.dup(0))
    values = {"time-pos": float(option("start") or 0), "duration": 600.0, "pause": False,
              "speed": float(option("speed")), "volume": 100.0}
    def line(value): peer.sendall((json.dumps(value) + "\n").encode())
    def say(name):
      line({"event": "property-change", "id": 1, "name": name, "data": values[name]})
    for text in peer.makefile():
      command = json.loads(text)["command"]
      if command[0] == "observe_property":
        say(command[2])
        continue
      note(json.dumps(command))
      if command == ["cycle", "pause"]:
        values["pause"] = not values["pause"]
        say("pause")
      elif command[1] == "speed":
        values["speed"] = command[2] + (values["speed"] if command[0] == "add" else 0)
        say("speed")
      elif command[1] == "volume":
        values["volume"] += command[2]
        say("volume")
      elif command[0] == "seek":
        time = command[1] + (values["time-pos"] if command[2] == "relative" else 0)
        if time == 600:
          line({"event": "end-file", "reason": "eof"})
          os._exit(0)
        if time == 601:
          line({"event": "end-file", "reason": "error", "file_error": "no sound in it"})
          os._exit(2)
        if time == 602: os.kill(os.getpid(), signal.SIGKILL)
        if time == 603:
          while True: peer.sendall(b"x" * 65536)
        if time == 604:
          peer.sendall(b'{"event":"property-change","id":99999999999999999999,"name":"time-pos","data":1e400}\n')
          peer.sendall(b'{"event":"property-change","name":"time-pos","data":-61}\n{"event":7}\n\xff\n\n[]\n')
          peer.sendall(b'{"event":"property-change","name":"speed","data":"fast"}\n' + b"[" * 60000 + b"\n")
          peer.sendall(b"y" * 100000 + b"\n")
          continue
        values["time-pos"] = time
        say("time-pos")
    # As mpv does: it ends when the other end is closed, and not before.
    os._exit(0)
    """#
}

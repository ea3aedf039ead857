import Foundation
import TestSupport
import Testing

/// podget with a name server that never answers: in a network namespace, with a Python program as
/// directory and as name server.
@Suite(.serialized) struct NameLookupTests {
  @Test(
    .enabled("needs root, unshare, ip and python3") { try await SilentNames.isPossible() })
  func `an interruption during a name lookup ends podget immediately`() async throws {
    let folder = try TemporaryFolder()
    let process = try SilentNames.start(
      in: folder, ["download", "1", "--json", "--retries", "5"])
    try await waitUntil("the name was asked for", seen: { process.output + process.error }) {
      folder.contains("asked")
    }
    process.signal(SIGINT)
    // On a busy machine the lookup may have ended meanwhile; then it is tried again.
    let result = try await process.waitForExit()
    #expect(result.status == .exited(130), "\(result.error)")
    #expect(try result.events().outcomes == ["Silent": "cancelled"])
  }
}

private enum SilentNames {
  /// A directory on port 8080 that names an address below a host that cannot be resolved; it ends when its
  /// parent does.
  private static let program = #"""
    import http.server, json, os, socket, threading, time
    names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    names.bind(("127.0.0.1", 53))
    def listen():
        while True:
            names.recvfrom(4096)
            open("asked", "w").close()
    class Directory(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            show = {"wrapperType": "track", "kind": "podcast", "collectionId": 1, "collectionName": "Show"}
            episode = {"wrapperType": "podcastEpisode", "kind": "podcast-episode", "trackId": 2,
                       "collectionId": 1, "collectionName": "Show", "trackName": "Silent",
                       "episodeUrl": "http://silent.example/a.mp3", "episodeFileExtension": "mp3"}
            body = json.dumps({"resultCount": 2, "results": [show, episode]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 8080), Directory)
    threading.Thread(target=listen, daemon=True).start()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    open("ready", "w").close()
    parent = os.getppid()
    while os.getppid() == parent: time.sleep(0.1)
    """#

  private static let script = """
    set -e
    ip link set lo up
    mount --bind resolv.conf /etc/resolv.conf
    python3 -c "$PROGRAM" >/dev/null 2>python.log </dev/null &
    until [ -e ready ]; do sleep 0.05; done
    exec "$@"
    """

  static func isPossible() async throws -> Bool {
    let folder = try TemporaryFolder()
    try folder.write("resolv.conf", "")
    let trial = try RunningProcess(
      "/usr/bin/env",
      [
        "unshare", "-nm", "sh", "-c",
        "ip link set lo up && mount --bind resolv.conf /etc/resolv.conf && python3 -c 'import json'",
      ], folder: folder.path)
    return try await trial.waitForExit().status == .exited(0)
  }

  static func start(in folder: TemporaryFolder, _ arguments: [String]) throws -> RunningProcess {
    try folder.write("resolv.conf", "nameserver 127.0.0.1\noptions timeout:30 attempts:5\n")
    return try RunningProcess(
      "/usr/bin/env",
      ["unshare", "-nm", "sh", "-c", script, "sh", BuiltBinary.podget.path] + arguments,
      environment: [
        "PROGRAM": program, "PODGET_ITUNES_URL": "http://127.0.0.1:8080",
        "PODGET_LIBRARY": folder.path("library"), "HOME": folder.path, "LANG": "C.UTF-8",
      ], folder: folder.path)
  }
}

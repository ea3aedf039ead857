import FoundationEssentials
import LoopbackServer

/// The audio of the directory's episodes: generated mp3 data, a different file for each address.
struct EpisodeFiles: Sendable {
  private struct File: Sendable {
    var title: String
    var representation: Representation
    var milliseconds: Int64
  }

  private let files: [String: File]
  private let paths: [String]

  /// Creates a file of about `size` bytes, up to an eighth more or less, for each episode.
  init(of episodes: [JSONValue], size: Int64) {
    var files: [String: File] = [:]
    var paths: [String] = []
    for episode in episodes {
      guard let path = episode.path, files[path] == nil else { continue }
      let seed = Self.hash(path)
      let title = episode["trackName"]?.text ?? path
      let varied = size - size / 8 + Int64(seed % UInt64(size / 4 + 1))
      let mp3 = MP3Maker(seed: seed, approximateSize: varied, title: title)
      let date = episode["releaseDate"]?.text.flatMap { try? Date($0, strategy: .iso8601) }
      files[path] = File(
        title: title,
        representation: Representation(
          mp3, etag: "\"\(String(seed, radix: 16))-\(mp3.size)\"",
          lastModified: date.map { HTTPDate.text(Int($0.timeIntervalSince1970)) }),
        milliseconds: mp3.milliseconds)
      paths.append(path)
    }
    self.files = files
    self.paths = paths
  }

  /// One line for each episode: its path and its title, separated by a tab.
  var index: String {
    paths.map { "\($0)\t\(files[$0]?.title ?? "")\n" }.joined()
  }

  /// The duration of the file at a path; nil if there is none.
  func milliseconds(at path: String) -> Int64? { files[path]?.milliseconds }

  /// The size of the file at a path; nil if there is none.
  func bytes(at path: String) -> Int64? { files[path].map { Int64($0.representation.size) } }

  /// The file for a request, at the rate in bytes per second; `?rate=N` overrides it, 0 is no
  /// limit.
  func serving(_ request: Request, rate: Int) -> FileServing? {
    files[request.path].map { file in
      let rate = request.query["rate"].flatMap { Int($0) } ?? rate
      return FileServing(file.representation, behaviour: Behaviour { $0.rate = rate })
    }
  }

  /// FNV-1a: the same file for the same address in each run.
  private static func hash(_ text: String) -> UInt64 {
    text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}

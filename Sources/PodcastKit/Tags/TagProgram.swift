internal import CFiles
package import FoundationEssentials
import Glibc
package import PodcastLibrary
package import PodcastModel
package import PodcastTransfer

/// Writes tags with the program podget-tag, in a process of its own for each file: a fault in TagLib,
/// found by a hostile file, ends that process and nothing else.
package struct TagProgram: TagWriter {
  /// The name of the program.
  private static let name = "podget-tag"
  /// Where it is, as seen from the folder of podget.
  private static let places = [name, "../libexec/podget/\(name)"]
  /// What it calls tags.
  package static let names = [
    "title", "podcast", "author", "date", "number", "season", "genre", "description", "guid",
    "feed", "page", "kind", "artwork", "chapters",
  ]
  /// One line with all these names is shorter.
  private static let longestAnswer = 1000
  /// A larger file gets no more time.
  private static let longestFile: Int64 = 1 << 40

  private let program: String
  private let deadline: Duration

  /// Creates a writer.
  ///
  /// - Parameters:
  ///   - podget: the path of podget, beside which the program is.
  ///   - deadline: how long one file may take, and a second more for each MiB of it. The program limits its
  ///     processor time itself.
  /// - Throws: a ``PodgetError`` with the code `notFound` if it is not there.
  package init(
    besides podget: String, deadline: Duration = .seconds(60)
  ) throws(PodgetError) {
    let folder = podget.lastIndex(of: "/").map { String(podget[...$0]) } ?? "./"
    let places = Self.places.map { folder + $0 }
    guard let program = places.first(where: { access($0, X_OK) == 0 }) else {
      throw PodgetError(
        .notFound, "\(Self.name) is not installed: it is neither beside podget nor in libexec.")
    }
    self.program = program
    self.deadline = deadline
  }

  package func add(
    _ request: Data, to file: OpenFile, flag: CancelFlag
  ) throws(TagRefusal) -> [String] {
    // Tags at the beginning move all that follows, and some disks are slow.
    let size = min(max(0, file.status?.size ?? 0), Self.longestFile)
    let ending = FilterProcess().run(
      [program], input: request, file: file.number, maximumOutput: Self.longestAnswer,
      deadline: deadline + .seconds(size >> 20), isCancelled: { flag.isSet })
    switch ending {
    case .exited(0, let output):
      guard let names = Self.names(in: output) else {
        throw .failed(PodgetError(.decoding, "\(Self.name) did not say what it wrote."))
      }
      return names
    case .exited(let status, _): throw Self.failure(status)
    case .died(SIGXCPU), .late:
      throw .failed(PodgetError(.decoding, "Its tags cannot be written: that takes too long."))
    case .died(let signal):
      throw .failed(
        PodgetError(
          .decoding, "Its tags cannot be written: \(Self.name) crashed (signal \(signal))."))
    case .cancelled: throw .stopped
    case .notStarted(let number):
      throw .failed(
        PodgetError(.disk, "Cannot run \(program): \(String(cString: strerror(number)))."))
    }
  }

  /// The names in an answer, each once; nil for anything but one line of known names.
  package static func names(in answer: [UInt8]) -> [String]? {
    guard answer.last == UInt8(ascii: "\n"),
      let line = String(validating: answer.dropLast(), as: UTF8.self)
    else { return nil }
    var names: [String] = []
    for name in line.split(separator: " ", omittingEmptySubsequences: true) {
      guard let known = Self.names.first(where: { $0 == name }) else { return nil }
      if !names.contains(known) { names.append(known) }
    }
    return names
  }

  /// What an exit status means (Sources/podget-tag/Tagging.h).
  private static func failure(_ status: Int32) -> TagRefusal {
    let reason: String
    switch status {
    case 65: return .leftAlone("Its tags are damaged, so it is left as it is.")
    case 66: return .leftAlone("Something in its tags would be lost, so it is left as it is.")
    case 67:
      return .leftAlone("podget does not change tags of this kind, so it is left as it is.")
    case 71: return .failed(PodgetError(.disk, "Cannot write its tags: the disk failed."))
    case 73: return .failed(PodgetError(.diskFull, "The disk is full.", remedy: .makeRoom))
    case 74: reason = "what was written is not in the file"
    case 127: reason = "\(name) cannot run, a library that it needs is missing (libtag)"
    default: reason = "\(name) failed (\(status))"
    }
    return .failed(PodgetError(.decoding, "Its tags cannot be written: \(reason)."))
  }
}

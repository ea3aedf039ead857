import Foundation
import TestSupport
import Testing

/// A line of podget's JSON output, read by another reader than podget's own.
struct EventLine: CustomStringConvertible {
  /// The line as it came.
  let description: String
  private let members: [String: Any]

  init(_ line: String) throws {
    description = line
    let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
    members = try #require(value as? [String: Any])
  }

  /// The name of the event.
  var name: String { self["event"] ?? "" }

  /// The title of the episode; nil if the event has none.
  var title: String? { (members["episode"] as? [String: Any])?["title"] as? String }

  /// The code of a failure.
  var code: String? { (members["error"] as? [String: Any])?["code"] as? String }

  /// The sentence of a failure.
  var message: String? { (members["error"] as? [String: Any])?["message"] as? String }

  /// The status that a failure names.
  var httpStatus: Int? { (members["error"] as? [String: Any])?["httpStatus"] as? Int }

  /// A member that is a text, a number or a flag.
  subscript<Value>(member: String) -> Value? { members[member] as? Value }

  /// Whether the event is the last one of its episode.
  var isTerminal: Bool { ["finished", "skipped", "failed", "cancelled"].contains(name) }

  /// The names of the line's members, in their order.
  var memberNames: [String] {
    var names: [String] = []
    var depth = 0
    var text: String?
    var isEscaped = false
    for character in description {
      if let open = text {
        if !isEscaped, character == "\"" {
          if depth == 1 { names.append(open) }
          text = nil
        } else {
          text = open + String(character)
        }
        isEscaped = !isEscaped && character == "\\"
      } else if character == "\"" {
        text = ""
      } else if character == "{" || character == "[" {
        depth += 1
      } else if character == "}" || character == "]" {
        depth -= 1
      } else if character == ",", depth == 1 {
        continue
      }
    }
    return names.filter { members[$0] != nil }
  }
}

extension RunningProcess.Result {
  /// The events of stdout.
  func events() throws -> [EventLine] { try lines.map(EventLine.init) }
}

extension RunningProcess {
  /// The events of stdout so far.
  var events: [EventLine] {
    output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .compactMap { try? EventLine(String($0)) }
  }
}

extension Array<EventLine> {
  /// The names of all events but progress.
  var names: [String] { map(\.name).filter { $0 != "progress" } }

  /// The terminal events' names by the titles of their episodes.
  var outcomes: [String: String] {
    Dictionary(filter(\.isTerminal).map { ($0.title ?? "", $0.name) }) { "\($0), \($1)" }
  }

  /// The first event of a name.
  func first(_ name: String) -> EventLine? { first { $0.name == name } }

  /// The events of one episode.
  func of(_ episode: PodcastServer.Episode) -> [EventLine] { filter { $0.title == episode.title } }
}

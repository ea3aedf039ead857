import ArgumentParser
import FoundationEssentials
import PodcastKit

/// How `list --format` writes an episode: a text with fields in braces.
struct ListFormat: Sendable, Hashable {
  /// What a field stands for; the raw values are the names.
  enum Field: String, Sendable, Hashable, CaseIterable {
    case title, podcast, date, duration, status, path, bytes, total, id, guid, url, starred, played
    case position, downloaded, sha256
  }

  private enum Part: Sendable, Hashable {
    case text(String)
    case field(Field)
  }

  /// The names of all fields, for help and messages.
  static var fieldList: String { Field.allCases.map(\.rawValue).joined(separator: ", ") }

  private let parts: [Part]

  /// Parses a template.
  ///
  /// - Throws: a `ValidationError` for a field that there is not, and for a brace without its other.
  init(_ template: String) throws {
    var parts: [Part] = []
    var text = ""
    var rest = template[...]
    while let character = rest.popFirst() {
      switch character {
      case "{":
        let name = rest.prefix { $0 != "}" }
        guard let field = Field(rawValue: String(name)), rest.dropFirst(name.count).first == "}"
        else {
          throw ValidationError(
            "{\(name)} in --format is not a field; there are \(Self.fieldList).")
        }
        parts += [.text(text), .field(field)]
        text = ""
        rest = rest.dropFirst(name.count + 1)
      case "}": throw ValidationError("A } in --format has no {.")
      case "\\":
        switch rest.popFirst() {
        case "t": text += "\t"
        case "n": text += "\n"
        case "0": text += "\0"
        case "\\": text += "\\"
        case let other:
          throw ValidationError(
            "\\\(other.map(String.init) ?? "") in --format is not one of \\t, \\n, \\0 and \\\\.")
        }
      default: text.append(character)
      }
    }
    self.parts = parts + [.text(text)]
  }

  /// The line of an episode. It ends with a newline, or with what the template ends with if that is
  /// `\0`; then paths are as they are.
  func line(_ local: LocalEpisode) -> String {
    let line = parts.map { part in
      switch part {
      case .text(let text): text
      case .field(.path) where endsWithZero: local.path
      // What comes from outside must not begin a new line, nor do anything to a terminal.
      case .field(let field): TerminalText.safe(Self.value(field, local))
      }
    }.joined()
    return endsWithZero ? line : line + "\n"
  }

  private var endsWithZero: Bool {
    if case .text(let text)? = parts.last { text.hasSuffix("\0") } else { false }
  }

  private static func value(_ field: Field, _ local: LocalEpisode) -> String {
    switch field {
    case .title: local.title
    case .podcast: local.podcast.shownTitle
    case .date: local.date?.timestamp ?? ""
    case .duration: seconds(local.duration)
    case .status: local.status.rawValue
    case .path: local.path
    case .bytes: String(local.bytes)
    case .total: local.total.map { String($0) } ?? ""
    case .id: local.episode.id.map { String($0) } ?? ""
    case .guid: local.episode.guid ?? ""
    case .url: AddressRedaction.shown(local.episode.enclosure.url)
    case .starred: String(local.isStarred)
    case .played: String(local.isPlayed)
    case .position: seconds(local.position)
    case .downloaded: local.downloadedAt?.timestamp ?? ""
    case .sha256: local.sha256 ?? ""
    }
  }

  private static func seconds(_ duration: Duration?) -> String {
    duration.map { String($0.components.seconds) } ?? ""
  }
}

import ArgumentParser
import FoundationEssentials
import Glibc
import PodcastKit

/// The settings in the configuration file, as checked texts with their places.
struct ConfigurationFile: Sendable {
  /// A place in the file; both numbers begin with 1, and a column counts Unicode scalars.
  struct Place: Sendable, Hashable {
    var line: Int
    var column: Int
  }

  /// The text of a value.
  struct Entry: Sendable, Hashable {
    var text: String
    /// Where the value begins.
    var place: Place
  }

  /// The maximum size; all keys with their comments take a thousandth of it.
  static let mostBytes: Int64 = 1 << 20

  /// The file's path; empty if there can be no file.
  var path = ""
  /// By key.
  var entries: [String: Entry] = [:]

  /// An empty configuration.
  init() {}

  /// Where the file is: in the folder of `XDG_CONFIG_HOME`, otherwise in `~/.config`; nil if the
  /// home folder is not known.
  static func path(_ environment: [String: String]) -> String? {
    // The specification ignores a relative path: it would be another folder for every command.
    if let folder = environment["XDG_CONFIG_HOME"], folder.utf8.first == UInt8(ascii: "/") {
      return "\(trimmed(folder))/podget/config.yaml"
    }
    return environment["HOME"].flatMap { home in
      home.isEmpty ? nil : "\(trimmed(home))/.config/podget/config.yaml"
    }
  }

  /// Reads the file; one that does not exist is empty.
  ///
  /// - Throws: a `ValidationError` that names the place of the first mistake.
  init(environment: [String: String]) throws(ValidationError) {
    guard let path = Self.path(environment) else { return }
    self.path = path
    guard let text = try Self.text(of: path) else { return }
    try read(text, home: environment["HOME"])
  }

  /// Reads the text of a file.
  ///
  /// - Parameters:
  ///   - path: the file's path, for messages.
  ///   - home: the folder that `~` stands for.
  init(_ text: String, path: String, home: String?) throws(ValidationError) {
    self.path = path
    try read(text, home: home)
  }

  /// A sentence about a place in the file.
  func sentence(at place: Place, _ sentence: String) -> String {
    "\(path):\(place.line):\(place.column): \(sentence)"
  }
}

extension ConfigurationFile {
  private mutating func read(_ text: String, home: String?) throws(ValidationError) {
    do throws(YAMLProblem) {
      for pair in try YAMLPairs.pairs(text) {
        entries[pair.key] = Entry(text: try Self.text(of: pair, home: home), place: pair.valuePlace)
      }
    } catch {
      throw ValidationError(sentence(at: error.place, error.sentence))
    }
  }

  /// The text of a pair's value, which the setting takes.
  private static func text(
    of pair: YAMLPairs.Pair, home: String?
  ) throws(YAMLProblem) -> String {
    guard let setting = SettingTable.setting(pair.key) else {
      throw YAMLProblem(pair.keyPlace, SettingTable.unknown(pair.key))
    }
    var text = pair.text
    if pair.isNull {
      throw YAMLProblem(
        pair.valuePlace, "\(pair.key) has no value; remove the line, or give it one.")
    }
    switch setting.notation {
    case .plain:
      // "8" and "true" in quotes are texts.
      if pair.isQuoted, (try? setting.check(text)) != nil {
        throw YAMLProblem(pair.valuePlace, "\(pair.key) takes \(text) without quotes.")
      }
      if pair.isQuoted { text = "\"\(text)\"" }
    case .text: break
    case .path:
      if text == "~" || text.hasPrefix("~/"), let home, !home.isEmpty {
        text = trimmed(home) + text.dropFirst()
      }
      // Any other path would depend on the folder in which podget starts.
      if !text.isEmpty, !text.hasPrefix("/") {
        throw YAMLProblem(
          pair.valuePlace,
          "\(pair.key) takes a path that begins with / or ~/, so that it is the same in every folder."
        )
      }
    }
    do throws(SettingProblem) {
      try setting.check(text)
    } catch {
      throw YAMLProblem(pair.valuePlace, error.sentence(of: pair.key))
    }
    return text
  }

  /// The file's text; nil if there is no file.
  private static func text(of path: String) throws(ValidationError) -> String? {
    let data: Data
    do throws(DiskError) {
      data = try OpenFile.ownContents(path, limit: mostBytes, followsLinks: true)
    } catch {
      switch error.number {
      case ENOENT, ENOTDIR: return nil
      // Another user's home folder, as in a service that changed its user.
      case EACCES where access(path, F_OK) != 0: return nil
      default: throw ValidationError("\(path) cannot be read: \(error.explanation).")
      }
    }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw ValidationError("\(path) is not UTF-8 text.")
    }
    return text
  }

  private static func trimmed(_ folder: String) -> String {
    var folder = folder[...]
    while folder.hasSuffix("/") { folder.removeLast() }
    return String(folder)
  }
}

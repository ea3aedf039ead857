internal import FoundationEssentials

/// The pattern of the paths below the library, such as `{podcast}/{date} - {title}.{ext}`.
public struct FilenameTemplate: Sendable, Hashable {
  /// What a template may name.
  public enum Field: String, Sendable, Hashable, CaseIterable {
    /// The podcast's title.
    case podcast
    /// The episode's title.
    case title
    /// The UTC day of publication, as `2024-03-01`.
    case date
    /// Apple's track id, else the guid.
    case id
    /// The season's number.
    case season
    /// The episode's number.
    case episode
  }

  /// Why a template cannot be used.
  public enum ParseError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A field that there is not.
    case unknownField(String)
    /// A `{` without its `}`.
    case unclosedBrace
    /// It does not end in `.{ext}`.
    case missingExtension
    /// A part between slashes that is empty, `.` or `..`.
    case invalidComponent

    /// One sentence: what is wrong, and what to write.
    public var description: String {
      switch self {
      case .unknownField(let name):
        let known = Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
        return "The template names {\(name)}, which is not a field; there are \(known) and {ext}."
      case .unclosedBrace:
        return "The template has a { without its }; write a field as {title}."
      case .missingExtension:
        return "The template must end in .{ext}, as in {date} - {title}.{ext}."
      case .invalidComponent:
        return "The template must name folders inside the library, without empty parts, . or .. ."
      }
    }
  }

  private enum Token: Sendable, Hashable {
    case text(String)
    case field(Field)
  }

  /// Never empty; the last component is the stem, the others are folders.
  private let components: [[Token]]

  /// The template unless another is chosen: `{podcast}/{date} - {title}.{ext}`.
  public static let standard = FilenameTemplate(components: [
    [.field(.podcast)], [.field(.date), .text(" - "), .field(.title)],
  ])

  /// Reads a template.
  ///
  /// - Throws: ``ParseError``.
  public init(parsing text: String) throws(ParseError) {
    let end = ".{ext}"
    guard text.hasSuffix(end) else { throw .missingExtension }
    var components: [[Token]] = []
    for part in text.dropLast(end.count).split(separator: "/", omittingEmptySubsequences: false) {
      guard !part.isEmpty, part != ".", part != ".." else { throw .invalidComponent }
      components.append(try Self.tokens(of: part))
    }
    self.components = components
  }

  private init(components: [[Token]]) {
    self.components = components
  }

  /// The folder and the stem of an episode: legal, inside the library, and not yet free of clashes.
  ///
  /// The folder has `/` between its parts and none at its ends; it is empty for a template without
  /// folders. A field without a value goes together with the text that separates it from the next
  /// field, or, when it is the last one, from the one before.
  public func components(podcast: Podcast, episode: Episode) -> (folder: String, stem: String) {
    let names = components.map { tokens in
      FileName.component(Self.text(of: tokens) { Self.value($0, podcast, episode) })
    }
    return (names.dropLast().joined(separator: "/"), names.last ?? "")
  }
}

extension FilenameTemplate {
  private static func tokens(of part: Substring) throws(ParseError) -> [Token] {
    var tokens: [Token] = []
    var rest = part
    while let brace = rest.firstIndex(of: "{") {
      if brace != rest.startIndex { tokens.append(.text(String(rest[..<brace]))) }
      guard let close = rest[brace...].firstIndex(of: "}") else { throw .unclosedBrace }
      let name = String(rest[rest.index(after: brace)..<close])
      guard let field = Field(rawValue: name) else { throw .unknownField(name) }
      tokens.append(.field(field))
      rest = rest[rest.index(after: close)...]
    }
    if !rest.isEmpty { tokens.append(.text(String(rest))) }
    return tokens
  }

  private static func text(of tokens: [Token], value: (Field) -> String) -> String {
    var parts: [String] = []
    var isSeparatorUnwanted = false
    for (index, token) in tokens.enumerated() {
      switch token {
      case .text(let text):
        if !isSeparatorUnwanted { parts.append(text) }
        isSeparatorUnwanted = false
      case .field(let field):
        let value = value(field)
        parts.append(value)
        guard value.isEmpty else { continue }
        if index + 1 < tokens.count {
          isSeparatorUnwanted = true
        } else if index > 0, case .text = tokens[index - 1], parts.count > 1 {
          parts.remove(at: parts.count - 2)
        }
      }
    }
    return parts.joined()
  }

  private static func value(_ field: Field, _ podcast: Podcast, _ episode: Episode) -> String {
    switch field {
    case .podcast: titled(podcast.title)
    case .title: titled(episode.title)
    case .date: episode.date.flatMap(day) ?? ""
    case .id: FileName.field(episode.id.map { String($0) } ?? episode.guid ?? "")
    case .season: episode.season.map { String($0) } ?? ""
    case .episode: episode.number.map { String($0) } ?? ""
    }
  }

  private static func titled(_ title: String) -> String {
    let field = FileName.field(title)
    return field.isEmpty ? "Untitled" : field
  }

  /// The UTC day; nil outside the years 1 to 9999, which no episode was published in.
  private static func day(_ date: Date) -> String? {
    let seconds = date.timeIntervalSince1970
    guard (-62_135_596_800..<253_402_300_800).contains(seconds) else { return nil }
    // Days are counted from 1 March of year 0, so that a leap day is the last of its year, in
    // eras of 400 years, after which the Gregorian calendar repeats.
    let days = Int((seconds / 86_400).rounded(.down)) + 719_468
    let (era, dayOfEra) = days.quotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
  }

  private static func padded(_ number: Int, _ digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}

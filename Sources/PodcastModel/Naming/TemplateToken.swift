internal import FoundationEssentials

/// A part of a template: literal text, or a field.
enum TemplateToken: Sendable, Hashable {
  case text(String)
  case field(TemplateSlot)
}

/// A field of a template with its format and default: `{date:%Y|undated}`.
struct TemplateSlot: Sendable, Hashable {
  /// The format of the value.
  enum Format: Sendable, Hashable {
    /// Nothing.
    case plain
    /// A number gets leading zeros up to so many digits.
    case digits(Int)
    /// A text is cut to so many characters.
    case characters(Int)
    /// A date is written with a pattern.
    case date(DatePattern)
  }

  var field: FilenameTemplate.Field
  var format = Format.plain
  /// The default for a missing value; nil omits it with its separator.
  var fallback: String?
  /// The brackets directly around it, which are omitted with a missing value.
  var opening = ""
  var closing = ""

  /// The value, legal in a name, with its brackets; nil when there is neither a value nor a
  /// default.
  func text(_ podcast: Podcast, _ episode: Episode) -> String? {
    let text = FileName.field(value(podcast, episode) ?? "")
    guard text.isEmpty else { return opening + text + closing }
    return fallback.map { $0.isEmpty ? "" : opening + $0 + closing }
  }

  private func value(_ podcast: Podcast, _ episode: Episode) -> String? {
    switch field.style {
    case .text:
      guard let text = field.text(podcast, episode) else { return nil }
      if case .characters(let count) = format { return String(text.prefix(count)) }
      return text
    case .number:
      guard let number = field.number(episode) else { return nil }
      if case .digits(let count) = format { return ZeroPadding.text(number, digits: count) }
      return String(number)
    case .date:
      guard let date = episode.date else { return nil }
      if case .date(let pattern) = format { return pattern.text(date) }
      return DatePattern.day.text(date)
    }
  }
}

extension TemplateSlot {
  /// Parses the text between the braces: a field, then `:` and a format, then `|` and a default.
  init(parsing text: Substring) throws(FilenameTemplate.ParseError) {
    guard !text.unicodeScalars.contains("/") else { throw .slashInField(String(text)) }
    let bar = text.firstIndex(of: "|")
    let beforeBar = text[..<(bar ?? text.endIndex)]
    let name = beforeBar.prefix { $0 != ":" }
    guard let field = FilenameTemplate.Field(named: name) else {
      throw .unknownField(String(name))
    }
    self.field = field
    fallback = bar.map { FileName.field(String(text[$0...].dropFirst())) }
    if name.endIndex < beforeBar.endIndex {
      let format = String(beforeBar[name.endIndex...].dropFirst())
      guard let read = Self.format(format, of: field) else {
        throw .unknownFormat(field: field, format)
      }
      self.format = read
    }
  }

  private static func format(_ text: String, of field: FilenameTemplate.Field) -> Format? {
    switch field.style {
    case .date: return DatePattern(text).map(Format.date)
    case .number:
      var digits = text[...]
      if digits.last == "d" { digits.removeLast() }
      guard digits.first == "0", let count = Int(digits), (1...18).contains(count) else {
        return nil
      }
      return .digits(count)
    case .text:
      guard text.first == ".", let count = Int(text.dropFirst()), (1...200).contains(count) else {
        return nil
      }
      return .characters(count)
    }
  }
}

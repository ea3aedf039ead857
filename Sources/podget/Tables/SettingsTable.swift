import PodcastKit

/// The table of `config`: every setting with its value and where that comes from.
struct SettingsTable: Sendable {
  /// A row.
  typealias Row = (name: String, setting: SettingValue<JSONValue>)

  /// The width of a line in cells; nil is no limit.
  let window: Int?
  let style: TerminalStyle

  /// The lines of the table.
  func text(_ rows: [Row]) -> String {
    var table = Table(
      columns: [
        Table.Column(title: "KEY"), Table.Column(title: "VALUE", mayShrink: true),
        Table.Column(title: "ORIGIN"),
      ], style: style)
    for row in rows {
      // Commands may have addresses with tokens, and people show such tables to others.
      let value = AddressRedaction.shown(in: Self.text(row.setting.value) ?? "-")
      let cells = [row.name, value, row.setting.origin.text]
      let isSet = row.setting.origin != .standard
      table.addRow({ cells[$0] }, look: { isSet ? $0 == 1 ? .green : .plain : .dim })
    }
    return table.text(window: window)
  }

  /// A value as an option takes it; nil if there is none.
  static func text(_ value: JSONValue) -> String? {
    switch value {
    case .string(let text): text
    case .null: nil
    case .bool, .integer, .thousandths, .array, .object: JSONText.line(value)
    }
  }
}

import PodcastKit

/// The text of `help environment`.
enum EnvironmentHelp {
  /// The variables of all settings, and the other ones.
  static let text = """
    ENVIRONMENT

    An option on the command line comes before its variable, and a variable before
    the configuration file (podget config). In podget sync, the settings of a
    subscription come after the options and before the variables. Flags take 1,
    true, yes or on, and 0, false, no or off.

    \(lines(settings))

    \(lines(others))
    """

  private static let settings = SettingTable.all.map { setting in
    let others = setting.sharedVariables.joined(separator: ", then ")
    return (
      setting.variable, others.isEmpty ? setting.help : "\(setting.help); otherwise \(others)"
    )
  }

  private static let others = [
    ("PODGET_ITUNES_URL", "where Apple's catalog is, for tests"),
    ("XDG_CONFIG_HOME", "the folder of podget/config.yaml; without it ~/.config"),
    ("VISUAL, EDITOR", "the editor of podget config edit"),
    ("NO_COLOR", "do not use colors"),
    ("TERM", "dumb or empty: no live display; dumb: no colors either"),
    ("LC_ALL, LC_CTYPE, LANG", "whether the terminal shows UTF-8"),
    ("HOME", "~/Podcasts is the default library, ~/.netrc is read"),
    ("http_proxy, https_proxy", "proxies as in curl; all_proxy and no_proxy too"),
  ]

  /// How wide the names are; the longest ones are alone on their lines.
  private static let width = 22
  /// How wide the texts are.
  private static let textWidth = 54

  private static func lines(_ entries: [(name: String, text: String)]) -> String {
    entries.map { entry in
      let name = TerminalText.padded(entry.name, to: width)
      let isLong = TerminalText.width(entry.name) > width
      let indent = "\n" + String(repeating: " ", count: width + 4)
      let text = WrappedText.lines(entry.text, columns: textWidth).joined(separator: indent)
      return "  \(name)" + (isLong ? indent : "  ") + text
    }.joined(separator: "\n")
  }
}

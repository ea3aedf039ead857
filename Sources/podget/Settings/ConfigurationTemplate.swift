/// The file that `podget config init` writes: all keys with their defaults, as comments.
enum ConfigurationTemplate {
  /// The text of the file.
  static let text: String = {
    let settings = SettingTable.all.map { setting in
      """
      # \(setting.help.capitalizingFirst). \(standard(of: setting))
      #\(setting.name): \(setting.example)

      """
    }
    return introduction + settings.joined(separator: "\n")
  }()

  private static let introduction = """
    # The configuration of podget. Each line that sets something is: key: value
    # Remove the # before a key to set it. Without the line, the default is used.
    # An option of the command line comes before this file, and so does a variable,
    # such as PODGET_JOBS for jobs. podget config shows the values in use.


    """

  private static func standard(of setting: any AnySetting) -> String {
    let text = setting.defaultText
    return text.isEmpty ? "No default; for example:" : "Default: \(text)"
  }
}

import ArgumentParser
import PodcastKit

/// The option for how files are named.
struct TemplateOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How files are named (default: $PODGET_TEMPLATE, else "
        + "\(SettingTable.template.defaultText)); see "
        + "podget help templates.", valueName: "template"))
  var template: String?

  func validate() throws { try SettingTable.template.require(template) }

  /// The template: the option, otherwise the setting; nil when there is none.
  func given(_ settings: SettingSources) throws -> FilenameTemplate? {
    try FilenameTemplate(settings, option: template)
  }
}

extension FilenameTemplate {
  /// That of an option or a setting; nil when there is none.
  init?(_ settings: SettingSources, option: String? = nil) throws {
    guard let found = try settings.given(SettingTable.template, option: option) else { return nil }
    do throws(FilenameTemplate.ParseError) {
      try self.init(parsing: found.value)
    } catch {
      throw ValidationError("\(SettingTable.template.name): \(error.description)")
    }
  }
}

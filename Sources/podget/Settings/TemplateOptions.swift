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
    try settings.given(SettingTable.template, option: template).map { found in
      do throws(FilenameTemplate.ParseError) {
        return try FilenameTemplate(parsing: found.value)
      } catch {
        throw ValidationError("\(SettingTable.template.name): \(error.description)")
      }
    }
  }
}

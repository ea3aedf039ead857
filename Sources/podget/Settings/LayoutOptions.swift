public import ArgumentParser
public import PodcastKit

extension MediaLayout: ExpressibleByArgument {}

/// The option for the arrangement of a library.
struct LayoutOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Arrange the library for a media server: names, and files about each podcast.",
      valueName: "layout"))
  var layout: MediaLayout?
}

extension TemplateOptions {
  /// The template: the option, that of the layout that an option names, otherwise the setting; nil when
  /// there is none.
  func given(_ settings: SettingSources, _ options: LayoutOptions) throws -> FilenameTemplate? {
    guard template == nil, let layout = options.layout else { return try given(settings) }
    do throws(FilenameTemplate.ParseError) {
      return try FilenameTemplate(parsing: layout.template)
    } catch {
      throw ValidationError(error.description)
    }
  }
}

import ArgumentParser
import PodcastKit

/// The option for how files are named.
struct TemplateOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How files are named (default: $PODGET_TEMPLATE, else {podcast}/{date} - {title}.{ext}); see "
        + "podget help templates.", valueName: "template"))
  var template: String?

  func validate() throws {
    if let template { _ = try Self.parsed(template, "--template") }
  }

  /// The template: the option, otherwise PODGET_TEMPLATE; nil when neither is given.
  func given(environment: [String: String]) throws -> FilenameTemplate? {
    if let template { return try Self.parsed(template, "--template") }
    return try Environment(environment).text("PODGET_TEMPLATE").map {
      try Self.parsed($0, "PODGET_TEMPLATE")
    }
  }

  private static func parsed(_ text: String, _ name: String) throws -> FilenameTemplate {
    do throws(FilenameTemplate.ParseError) {
      return try FilenameTemplate(parsing: text)
    } catch {
      throw ValidationError("\(name): \(error.description)")
    }
  }
}

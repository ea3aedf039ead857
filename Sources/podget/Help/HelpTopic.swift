import PodcastKit

/// The topics of `podget help`, besides the commands.
enum HelpTopic: String, CaseIterable {
  case environment
  case exitStatus = "exit-status"
  case json
  case man
  case templates

  /// The text of the topic.
  ///
  /// - Parameter detail: for `json` and `man`, the command whose schema or page is wanted; nil for
  ///   all schemas, and for the page of podget.
  func text(_ detail: String? = nil) throws -> String {
    switch self {
    case .environment: EnvironmentHelp.text
    case .exitStatus: Self.exitStatusText
    case .json: JSONSchemas.text(detail)
    case .man: try ManualPage.text(detail)
    case .templates: Self.templatesText
    }
  }

  private static let exitStatusText = """
    EXIT STATUS

        0  everything that was requested is on disk
        1  something failed, is missing or is damaged; other episodes may be there
        2  podget sync could not work: no usable library, no room, or no network
       64  the command line, a variable or the configuration file is wrong
      129  ended by SIGHUP
      130  ended by SIGINT, by Ctrl-C or by q
      143  ended by SIGTERM

    Interrupted downloads keep the received bytes; podget resume continues them.
    SIGHUP does not end podget sync --watch; it reads its configuration again.
    """

  private static let templatesText = """
    TEMPLATES

    A template is a path relative to the library's folder. The default is

      {podcast}/{date} - {title}.{ext}

    Fields:
      {podcast} {author} {title} {date} {season} {episode} {type} {id} {guid}
      {filename} {ext}
      {duration}  in minutes

    A format follows a colon:
      {date:%Y-%m}   the year and the month; the date is the UTC day
      {episode:03}   a number with at least three digits
      {title:.60}    at most 60 characters

    A default for a missing value follows a bar: {season|0}. Without a default, a
    missing value is left out together with its separator. Write {{ and }} for
    braces.

    podget makes names legal for all file systems and unique; a clash adds a short
    suffix.
    podget rename --template moves a library to another template.
    """
}

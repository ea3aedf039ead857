import PodcastKit

/// The topics of `podget help`, besides the commands.
enum HelpTopic: String, CaseIterable {
  case environment
  case exitStatus = "exit-status"
  case json
  case templates

  /// The text of the topic.
  ///
  /// - Parameter detail: for `json`, the command whose schema is wanted; nil for all of them.
  func text(_ detail: String? = nil) -> String {
    switch self {
    case .environment: Self.environmentText
    case .exitStatus: Self.exitStatusText
    case .json: JSONSchemas.text(detail)
    case .templates: Self.templatesText
    }
  }

  private static let environmentText = """
    ENVIRONMENT

    An option on the command line overrides its variable.

      PODGET_LIBRARY        the library's folder (--library); PODGET_DIRECTORY still works
      PODGET_TEMPLATE       how files are named (--template)
      PODGET_COUNTRY        the country of Apple's store (--country)
      PODGET_JOBS           how many transfers run at once (--jobs)
      PODGET_JOBS_PER_HOST  how many of them to one host (--jobs-per-host)
      PODGET_LIMIT_RATE     the most bytes per second (--limit-rate)
      PODGET_RETRIES        how often a failed attempt is retried (--retries)
      PODGET_RETRY_DELAY    seconds before the first retry (--retry-delay)
      PODGET_STALL_TIMEOUT  seconds without data that end an attempt (--stall-timeout)
      PODGET_USER_AGENT     the User-Agent to send (--user-agent)
      PODGET_CACERT         a PEM file of trusted certificates (--cacert); without it
                            SSL_CERT_FILE, then CURL_CA_BUNDLE, then the system's
      PODGET_TRASH_DAYS     how many days removed files stay in the trash (--trash-days)
      PODGET_ITUNES_URL     where Apple's directory is, for tests

      NO_COLOR              do not use colors
      TERM                  dumb or empty: no live display
      LC_ALL, LC_CTYPE, LANG  whether the terminal shows UTF-8
      HOME                  ~/Podcasts is the default library, ~/.netrc is read
      http_proxy, https_proxy, all_proxy, no_proxy  as in curl
    """

  private static let exitStatusText = """
    EXIT STATUS

        0  everything that was requested is on disk
        1  something failed; other episodes may be complete
       64  the command line is wrong
      129  ended by SIGHUP
      130  ended by SIGINT, by Ctrl-C or by q
      143  ended by SIGTERM

    Interrupted downloads keep the received bytes. Run podget resume to continue them.
    """

  private static let templatesText = """
    TEMPLATES

    A template is a path below the library's folder. The default is

      {podcast}/{date} - {title}.{ext}

    Fields:
      {podcast} {author} {title} {date} {season} {episode} {type} {id} {guid} {filename} {ext}
      {duration}  in minutes

    A format follows a colon:
      {date:%Y-%m}   the year and the month; the date is the UTC day
      {episode:03}   a number with at least three digits
      {title:.60}    at most 60 characters

    A default for a missing value follows a bar: {season|0}. Without a default, a missing value
    is left out together with its separator. Write {{ and }} for braces.

    podget makes names legal for all file systems and unique; a clash adds a short suffix.
    podget rename --template moves a library to another template.
    """
}

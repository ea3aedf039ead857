/// Why a check of a feed failed.
package enum FeedProblem: Error, Sendable, Hashable {
  /// No answer arrived: the network, a handshake, a redirect that is not followed.
  case noAnswer(PodgetError)
  /// The server refuses with this status.
  case refused(status: Int)
  /// The server wants a password, or another one.
  case passwordRequired
  /// The server answered 304 to a request without validators.
  case notModifiedUnasked
  /// The answer has no body.
  case emptyBody
  /// The body is a page and no feed.
  case webPage
  /// The feed breaks off, or is no feed at all.
  case broken
  /// The feed lists no episode, and it did before.
  case noEpisodes
  /// The feed is of another podcast.
  case anotherPodcast

  /// The failure as it is reported, without the feed's name.
  package var error: PodgetError {
    switch self {
    case .noAnswer(let error): error
    case .refused(let status):
      status >= 400
        ? PodgetError(.httpStatus, "The server answers with status \(status).", httpStatus: status)
        : PodgetError(.decoding, "The server answers with status \(status), which is no answer.")
    case .passwordRequired:
      PodgetError(
        .httpStatus, "The server wants a user name and password.", httpStatus: 401, remedy: .logIn)
    case .notModifiedUnasked:
      PodgetError(
        .decoding, "The server says that the feed has not changed, but it was not asked that.")
    case .emptyBody: PodgetError(.emptyBody, "The server sent no feed at all.")
    case .webPage: PodgetError(.decoding, "The server sent a web page instead of the feed.")
    case .broken: PodgetError(.decoding, "The feed is broken or incomplete.")
    case .noEpisodes:
      PodgetError(.decoding, "The feed lists no episodes, and it did before.")
    case .anotherPodcast:
      PodgetError(.decoding, "The address delivers the feed of another podcast.")
    }
  }
}

import PodcastKit

/// What the command `after-feed` is told of a feed.
extension FeedChange {
  /// The word for what has changed, as commands get it.
  var event: String {
    switch kind {
    case .failing: "failing"
    case .gone: "gone"
    case .moved: "moved"
    }
  }

  /// Why a feed fails, or where it was; empty for one that is gone.
  var message: String {
    switch kind {
    case .failing(let error): error.sentence
    case .gone: ""
    case .moved(let from): "It was at \(from.withoutCredentials)."
    }
  }
}

// `import PodcastKit` alone is enough for its users.
@_exported public import PodcastArtwork
@_exported public import PodcastFeeds
@_exported public import PodcastLibrary
@_exported public import PodcastModel
@_exported public import PodcastTransfer

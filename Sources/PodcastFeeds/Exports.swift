// `import PodcastFeeds` alone is enough for those who only read feeds.
@_exported public import PodcastModel

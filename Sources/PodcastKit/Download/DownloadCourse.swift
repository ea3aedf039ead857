import PodcastLibrary
import PodcastTransfer

/// Whether the next request may ask for a range.
enum RangeUse {
  case wanted
  /// Not this once: the answer to the last one could not be combined with what is held.
  case notNow
  /// Not any more: the server has shown that every request gets another file.
  case never
}

/// What carries over from one attempt to the next.
struct DownloadCourse {
  var url: String
  var writer: PartWriter
  var keeper: RecordKeeper
  var part: PartFile
  var hasher: ContentHasher?
  /// Whether bytes were found that nothing proved to be of the version on record.
  var lostBytes = false
  /// Attempts since the last one that brought enough.
  var attempt = 1
  var attempts = 0
  /// The host of the last request; not the address's where that redirects.
  var host = ""
  var rangeUse = RangeUse.wanted
  /// Whether a content coding is accepted, after the server insisted on one.
  var acceptsCodings = false
  /// The address that the held bytes came from, while it is asked in place of the original one.
  var heldAddress: String?
  var triedHeldAddress = false
  /// Where the last answer came from.
  var answeredURL = ""
  var restarts = 0
  /// Whether the listener was told that the next attempt begins the file again.
  var announcedRestart = false
  var wasRefreshed = false
  /// How often the download may wait for file descriptors while it runs alone.
  var descriptorPatience = DownloadContext.descriptorPatience
  var wasAskedAnew = false
}

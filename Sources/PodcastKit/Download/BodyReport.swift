import PodcastLibrary
import PodcastTransfer

extension BodyWriter {
  /// The state after an attempt.
  struct Report: Sendable, Hashable {
    /// Why the attempt did not read a message to its end; nil if it did.
    var interruption: Interruption?
    /// How many trusted bytes are in the part file.
    var held: Int64 = 0
    /// The length of the file, if an answer announced it.
    var total: Int64?
    /// Whether the body, complete by its framing, ended exactly where the file does.
    var reachedEnd = false
    /// What marked the end of the body; nil if a length did.
    var mark: FileEnd.Mark?
    /// How many new bytes the attempt received.
    var gained: Int64 = 0
    /// How many bytes that were on disk already the attempt received again.
    var repeated: Int64 = 0
    /// Whether bytes on disk differed from the body, and were replaced.
    var hasReplaced = false

    /// Whether the attempt received so much, 64 KiB or 5 % of a smaller file, that earlier attempts
    /// no longer count.
    var isProgress: Bool {
      gained >= 64 << 10 || total.map { gained > 0 && gained >= $0 / 20 } ?? false
    }

    /// Whether the attempt itself does not count either: it was interrupted, and most of what it
    /// received follows what was there.
    ///
    /// So there can only be as many of them as the file has room for, and together they receive no
    /// more than twice the file. One that replaces bytes, or begins again and again, counts.
    var isFree: Bool {
      isProgress && !isRefused && !reachedEnd && !hasReplaced && repeated <= gained
    }

    private var isRefused: Bool {
      switch interruption {
      case nil, .network: false
      case .restart, .coded, .server, .disk, .user: true
      }
    }
  }
}

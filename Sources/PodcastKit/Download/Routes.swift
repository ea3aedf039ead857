import PodcastTransfer

/// The addresses that an episode may come from, and which one is asked: values without effects.
///
/// The episode's own address is asked first. If that does not lead to what is wanted, there are
/// detours, each of them once.
struct Routes: Sendable {
  private enum Detour: Sendable {
    /// The address that the bytes on disk came from may have their version; once in a download.
    case source
    /// The episode's own address may lead elsewhere than the last time; once in an attempt.
    case anew
    /// The podcast's directory or feed may know a new address; once in a download.
    case directory
  }

  /// The episode's own address.
  private(set) var own: String
  /// The address to ask now.
  private(set) var present: String
  /// The address that the bytes on disk came from, if it is known.
  private(set) var source: String?
  /// The address of the last request, the first one or the target of a redirect.
  private var asked = ""
  private var detours: Set<Detour>
  private let allowsInsecureRedirects: Bool

  /// Creates the routes of one download.
  ///
  /// - Parameter hasDirectory: whether there may be a new address for the episode.
  init(_ own: String, allowsInsecureRedirects: Bool, hasDirectory: Bool) {
    self.own = own
    present = own
    self.allowsInsecureRedirects = allowsInsecureRedirects
    detours = hasDirectory ? [.source, .directory] : [.source]
  }

  /// Whether the address of the bytes on disk is asked instead of the episode's own.
  private(set) var isAtSource = false

  /// An attempt begins.
  mutating func begin(source: String?) {
    self.source = source
    detours.insert(.anew)
  }

  /// Records the address of a request.
  mutating func ask(_ url: String) { asked = url }

  /// The address that the bytes on disk came from, if it may be asked and differs from the address of
  /// the last request.
  private var otherSource: String? {
    guard !isAtSource, detours.contains(.source), let source, source != asked,
      RedirectChain.mayAsk(source, insteadOf: own, allowsInsecure: allowsInsecureRedirects)
    else { return nil }
    return source
  }

  /// Whether one more address may have the version on disk.
  var hasOtherSource: Bool { otherSource != nil }

  /// Asks the address that the bytes on disk came from. Returns false if that is no other address, or
  /// was asked before.
  mutating func takeSource() -> Bool {
    guard let source = otherSource else { return false }
    (present, isAtSource) = (source, true)
    detours.remove(.source)
    return true
  }

  /// Asks the episode's own address again. Returns false if it is asked already.
  @discardableResult mutating func leaveSource() -> Bool {
    guard isAtSource else { return false }
    (present, isAtSource) = (own, false)
    return true
  }

  /// Whether the address is asked once more in this attempt, after a redirect led to a refusal.
  mutating func takeAnew() -> Bool { detours.remove(.anew) != nil }

  /// Whether the directory is asked for a new address.
  mutating func takeDirectory() -> Bool { detours.remove(.directory) != nil }

  /// Uses a new address of the episode from now on. Returns false if it is not new.
  mutating func move(to url: String) -> Bool {
    guard url != own else { return false }
    own = url
    if !isAtSource { present = url }
    return true
  }
}

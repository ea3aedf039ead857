internal import Synchronization

/// How far a verification has come, for those who show it, and the way to stop it.
public final class VerificationProgress: Sendable {
  private let bytes = Atomic<Int64>(0)
  private let cancelled = Atomic<Bool>(false)

  /// Makes a progress at its beginning.
  public init() {}

  /// How many bytes were read so far.
  public var bytesRead: Int64 { bytes.load(ordering: .relaxed) }

  /// Whether the rest is not wanted any more.
  public var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Stops the verification: a file that is being read is left, and none follows.
  public func cancel() { cancelled.store(true, ordering: .relaxed) }

  package func add(_ count: Int64) { bytes.add(count, ordering: .relaxed) }
}

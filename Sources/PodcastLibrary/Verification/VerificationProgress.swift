internal import Synchronization

/// The progress of a verification, for displays, and the way to stop it.
public final class VerificationProgress: Sendable {
  private let bytes = Atomic<Int64>(0)
  private let cancelled = Atomic<Bool>(false)

  /// Creates a progress at its beginning.
  public init() {}

  /// How many bytes were read so far.
  public var bytesRead: Int64 { bytes.load(ordering: .relaxed) }

  /// Whether the rest is cancelled.
  public var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Stops the verification: the current files are not finished, and no further ones are read.
  public func cancel() { cancelled.store(true, ordering: .relaxed) }

  package func add(_ count: Int64) { bytes.add(count, ordering: .relaxed) }
}

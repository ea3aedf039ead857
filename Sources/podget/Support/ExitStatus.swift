import ArgumentParser

/// The exit statuses of the contract.
enum ExitStatus {
  /// All that was asked for is on the disk.
  static let success = ExitCode(0)
  /// Something failed; other episodes may have arrived.
  static let failure = ExitCode(1)
}

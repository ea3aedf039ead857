import ArgumentParser

/// The exit statuses of the contract that commands throw; 0 needs no throwing, 64 is the parser's.
enum ExitStatus {
  /// Something failed; other episodes may have arrived.
  static let failure = ExitCode(1)
}

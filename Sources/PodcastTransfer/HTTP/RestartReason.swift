/// Why a file restarts; the raw values are the contract with scripts.
public enum RestartReason: String, Sendable, Hashable, CaseIterable {
  /// The server has another version now.
  case changed
  /// The server sent nothing that proves that two answers have the same version.
  case noValidator
  /// The server contradicted itself about ranges.
  case rangeProtocol
  /// The server sent the complete file although a part was requested.
  case rangeIgnored
  /// The bytes that should overlap differ from those on the disk.
  case overlapDiffers
}

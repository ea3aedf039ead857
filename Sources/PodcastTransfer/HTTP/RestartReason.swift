/// Why a file begins again; the raw values are the contract with scripts.
public enum RestartReason: String, Sendable, Hashable, CaseIterable {
  /// The server has another version now.
  case changed
  /// The server gave nothing by which two answers could be told to be one version.
  case noValidator
  /// The server contradicted itself about ranges.
  case rangeProtocol
  /// The server sent the whole file although a part was asked for.
  case rangeIgnored
  /// The bytes that should overlap differ from those on the disk.
  case overlapDiffers
}

import FoundationEssentials
import Glibc
import PodcastTransfer

/// Writes podget's JSON files: the same value gives the same bytes, in one line.
enum RecordEncoder {
  /// The bytes of a value.
  ///
  /// - Parameter name: their file, for the error.
  /// - Throws: EINVAL if the value has no JSON form.
  static func data(_ value: some Encodable, for name: String) throws(DiskError) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(value) else { throw DiskError(EINVAL, "encode", name) }
    return data
  }
}

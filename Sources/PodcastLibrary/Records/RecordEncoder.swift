import FoundationEssentials
import Glibc
import PodcastTransfer

/// Writes podget's JSON files, each value in one line.
enum RecordEncoder {
  /// The bytes of a value.
  ///
  /// - Parameters:
  ///   - name: their file, for the error.
  ///   - isSorted: whether the same value gives the same bytes, which takes longer.
  /// - Throws: EINVAL if the value has no JSON form.
  static func data(
    _ value: some Encodable, for name: String, isSorted: Bool = true
  ) throws(DiskError) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting =
      isSorted ? [.sortedKeys, .withoutEscapingSlashes] : .withoutEscapingSlashes
    guard let data = try? encoder.encode(value) else { throw DiskError(EINVAL, "encode", name) }
    return data
  }
}

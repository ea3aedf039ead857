import TestSupport
import Testing

@testable import PodcastTransfer

@Suite("A checksum that is continued") struct ContinuedSHA256Tests {
  @Test("stored at any byte, it ends as if it had not been")
  func stored() throws {
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    var digest = SHA2Digest()
    bytes.withUnsafeBytes { digest.add($0) }
    let expected = digest.finish()
    #expect(expected != nil)
    for cut in Array(0...130) + [999, 1000] {
      var first = ContinuedSHA256()
      first.add(bytes[..<cut])
      var second = try #require(ContinuedSHA256(first.stored, of: Int64(cut)))
      second.add(bytes[cut...].prefix(7))
      second.add(bytes[cut...].dropFirst(7))
      #expect(second.checksum == expected, "\(cut)")
    }
  }

  @Test("what cannot be a stored checksum is refused")
  func refused() {
    #expect(ContinuedSHA256([], of: 0) == nil)
    #expect(ContinuedSHA256([UInt8](repeating: 0, count: 33), of: 64) == nil)
    #expect(ContinuedSHA256([UInt8](repeating: 0, count: 32), of: -64) == nil)
    #expect(ContinuedSHA256([UInt8](repeating: 0, count: 95), of: .max) != nil)
  }
}

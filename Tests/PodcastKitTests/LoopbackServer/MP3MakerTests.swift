import LoopbackServer
import Testing

@Suite struct MP3MakerTests {
  /// Walks the frames as a decoder does: by sync word and header alone.
  private func frameCount(_ bytes: ArraySlice<UInt8>) -> Int? {
    var rest = bytes
    var count = 0
    while let first = rest.first {
      guard rest.count >= 4, first == 0xFF else { return nil }
      let header = Array(rest.prefix(4))
      guard header[1] == 0xFB, header[2] & 0xFC == 0x90 else { return nil }
      let length = 144 * 128_000 / 44_100 + Int(header[2] >> 1 & 1)
      guard rest.count >= length else { return nil }
      rest = rest.dropFirst(length)
      count += 1
    }
    return count
  }

  @Test(arguments: [1, 417, 418, 20_480, 1_000_000])
  func `a file has complete frames and about the wanted length`(length: Int) {
    let bytes = MP3Maker.bytes(seed: 1, length: Int64(length))
    #expect(
      frameCount(bytes[...]) == bytes.count * 49 / 20480 + (bytes.count * 49 % 20480 == 0 ? 0 : 1))
    #expect((length..<length + 418).contains(bytes.count))
  }

  @Test func `a title goes into a tag before the frames`() {
    let title = String(repeating: "Ψ", count: 100)
    let bytes = MP3Maker.bytes(seed: 1, length: 10_000, title: title)
    #expect(bytes.starts(with: Array("ID3".utf8) + [4, 0, 0, 0, 0, 1, 83]))
    #expect(bytes[21..<221].elementsEqual(title.utf8))
    #expect(frameCount(bytes[221...]) != nil)
  }

  @Test func `any range equals that part of the complete file`() {
    let file = MP3Maker(seed: 7, approximateSize: 60_000, title: "Part")
    let whole = Array(file.bytes(in: 0..<file.size))
    #expect(whole.count == Int(file.size))
    for start in stride(from: 0, to: whole.count, by: 97) {
      let end = min(start + 1 + start % 1500, whole.count)
      #expect(file.bytes(in: Int64(start)..<Int64(end)).elementsEqual(whole[start..<end]))
    }
    #expect(file.bytes(in: file.size..<file.size + 10).isEmpty)
  }

  @Test func `files differ from each other and within themselves`() {
    let size = 64 * 1024
    let blocks = [UInt64(1), 2].flatMap { seed in
      let bytes = MP3Maker.bytes(seed: seed, length: 1 << 20)
      return (0..<16).map { Array(bytes[$0 * size..<($0 + 1) * size]) }
    }
    #expect(Set(blocks).count == 32)
  }
}

import PodcastArtwork
import Testing

/// Scaling, sizes, and the form in which a thumbnail travels.
@Suite("Thumbnails") struct BoxFilterTests {
  private func scaled(
    _ pixels: [UInt8], _ source: Extent, to target: Extent, hasAlpha: Bool = false
  ) -> Thumbnail? {
    var filter = BoxFilter(from: source, to: target, hasAlpha: hasAlpha)
    for start in stride(from: 0, to: pixels.count, by: filter.rowBytes) {
      let row = Array(pixels[start..<start + filter.rowBytes])
      row.withUnsafeBufferPointer { filter.add(row: $0) }
    }
    return filter.thumbnail()
  }

  @Test func `each pixel is the mean of what it covers`() {
    let two = scaled(
      [0, 0, 0, 10, 20, 30, 20, 40, 60, 30, 60, 91], Extent(width: 2, height: 2),
      to: Extent(width: 1, height: 1))
    #expect(two?.pixels == [15, 30, 45])
    // Three become two: the middle one belongs to both, half and half.
    let three = scaled(
      [0, 0, 0, 90, 90, 90, 240, 240, 240], Extent(width: 3, height: 1),
      to: Extent(width: 2, height: 1))
    #expect(three?.pixels == [30, 30, 30, 190, 190, 190])
    let column = scaled(
      [0, 0, 0, 90, 90, 90, 240, 240, 240], Extent(width: 1, height: 3),
      to: Extent(width: 1, height: 2))
    #expect(column?.pixels == [30, 30, 30, 190, 190, 190])
  }

  @Test func `transparent pixels lend no color`() {
    let mixed = scaled(
      [200, 100, 50, 255, 0, 255, 0, 0], Extent(width: 2, height: 1),
      to: Extent(width: 1, height: 1), hasAlpha: true)
    #expect(mixed?.pixels == [200, 100, 50, 128])
    let clear = scaled(
      [9, 9, 9, 0], Extent(width: 1, height: 1), to: Extent(width: 1, height: 1), hasAlpha: true)
    #expect(clear?.pixels == [0, 0, 0, 0])
  }

  @Test(arguments: [1, 2, 7, 299, 300, 301, 1023])
  func `an even surface stays even at any size`(length: Int) {
    let source = Extent(width: length, height: 3)
    let pixels = Array(repeating: UInt8(77), count: length * 3 * 3)
    let target = source.fitted(to: 5)
    let thumbnail = scaled(pixels, source, to: target)
    #expect(thumbnail?.pixels.allSatisfy { $0 == 77 } == true)
    #expect(thumbnail?.width == target.width && thumbnail?.height == target.height)
  }

  @Test func `there is no thumbnail without all rows`() {
    var filter = BoxFilter(
      from: Extent(width: 1, height: 2), to: Extent(width: 1, height: 1), hasAlpha: false)
    [1, 2, 3].withUnsafeBufferPointer { filter.add(row: $0) }
    #expect(filter.thumbnail() == nil)
    [1, 2].withUnsafeBufferPointer { filter.add(row: $0) }
    #expect(filter.thumbnail() == nil)
    for _ in 0..<2 { [1, 2, 3].withUnsafeBufferPointer { filter.add(row: $0) } }
    #expect(filter.thumbnail()?.pixels == [1, 2, 3])
  }

  @Test(arguments: [
    (3000, 3000, 300, 300), (3000, 1500, 300, 150), (10, 20, 10, 20), (6000, 1, 300, 1),
    (301, 300, 300, 299),
  ])
  func `images are fitted and never enlarged`(width: Int, height: Int, right: Int, down: Int) {
    let fitted = Extent(width: width, height: height).fitted(to: 300)
    #expect(fitted == Extent(width: right, height: down))
  }

  @Test(arguments: [(3000, 1), (2400, 1), (1200, 2), (600, 4), (598, 8), (300, 8), (100, 8)])
  func `a JPEG is scaled as far as the thumbnail allows`(side: Int, eighths: Int) {
    let extent = Extent(width: side, height: side)
    let target = extent.fitted(to: 300)
    let found = extent.eighths(for: target)
    #expect(extent.scaled(toEighths: found).width >= target.width)
    #expect(found == eighths)
  }

  @Test func `what was written is read`() throws {
    for hasAlpha in [false, true] {
      let pixels = (0..<300 * 2 * (hasAlpha ? 4 : 3)).map { UInt8(truncatingIfNeeded: $0) }
      let thumbnail = try #require(
        Thumbnail(width: 300, height: 2, hasAlpha: hasAlpha, pixels: pixels))
      let bytes = thumbnail.bytes
      #expect(Thumbnail(bytes: bytes) == thumbnail)
      #expect(Thumbnail(bytes: bytes.dropLast()) == nil)
      #expect(Thumbnail(bytes: bytes + [0]) == nil)
      for place in 0..<12 {
        var wrong = bytes
        wrong[place] ^= 0x40
        #expect(Thumbnail(bytes: wrong) == nil, "\(place)")
      }
    }
    #expect(Thumbnail(bytes: []) == nil)
    #expect(Thumbnail(width: 0, height: 1, hasAlpha: false, pixels: []) == nil)
    #expect(
      Thumbnail(
        width: 1025, height: 1, hasAlpha: false, pixels: Array(repeating: 0, count: 3075)) == nil)
  }

  @Test(arguments: [
    ("GIF89a....", ImageRefusal.gif), ("\u{FEFF} \n<svg>", .markup), ("<!doctype html>", .markup),
    ("....ftypavif", .isoMedia), ("hello", .unknownFormat), ("RIFF1234WAVE", .unknownFormat),
    ("", .empty),
  ])
  func `other formats are refused by their content`(start: String, refusal: ImageRefusal) {
    #expect(throws: refusal) {
      try Array(start.utf8).withUnsafeBytes { _ = try ImageFormat(of: $0) }
    }
  }

  @Test func `the extent is limited`() throws {
    #expect(try ImageLimits.extent(width: 6000, height: 6000).width == 6000)
    for (width, height) in [(6001, 1), (1, 6001), (.max, .max)] {
      #expect(throws: ImageRefusal.tooManyPixels) {
        try ImageLimits.extent(width: width, height: height)
      }
    }
    #expect(throws: ImageRefusal.damaged) { try ImageLimits.extent(width: 0, height: 5) }
  }
}

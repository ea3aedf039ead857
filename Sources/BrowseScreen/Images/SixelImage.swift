import PodcastArtwork

/// Images as sixels (DEC STD 070): six rows of pixels at a time, and each color of them after the
/// other.
enum SixelImage {
  /// What ends an image that is half drawn.
  static let abandonment = Array("\u{1B}\\".utf8)

  /// An image as one control string, with at most so many colors. What is transparent is not drawn.
  static func bytes(of image: Thumbnail, colors: Int) -> [UInt8] {
    let palette = ColorPalette(of: image, count: colors)
    // Pixels that are not set keep what is there; the proportions of a pixel; the size.
    var output = Array("\u{1B}P0;1;0q\"1;1;\(image.width);\(image.height)".utf8)
    for (number, color) in palette.colors.enumerated() {
      let percent = color.map { "\((Int($0) * 100 + 127) / 255)" }
      output += "#\(number);2;\(percent.joined(separator: ";"))".utf8
    }
    for top in stride(from: 0, to: image.height, by: 6) {
      if top > 0 { output.append(UInt8(ascii: "-")) }
      write(band(palette, image, top), &output)
    }
    return output + abandonment
  }

  /// The sixels of each color of a band: one bit for each of its rows.
  private static func band(
    _ palette: ColorPalette, _ image: Thumbnail, _ top: Int
  ) -> [(color: Int, sixels: [UInt8])] {
    var lines: [Int: [UInt8]] = [:]
    for row in top..<min(top + 6, image.height) {
      for column in 0..<image.width {
        guard let color = palette.places[row * image.width + column] else { continue }
        lines[color, default: Array(repeating: 0, count: image.width)][column] |=
          1 << UInt8(row - top)
      }
    }
    return lines.map { (color: $0.key, sixels: $0.value) }.sorted { $0.color < $1.color }
  }

  private static func write(
    _ lines: [(color: Int, sixels: [UInt8])], _ output: inout [UInt8]
  ) {
    for (place, line) in lines.enumerated() {
      // Back to the beginning of the band.
      if place > 0 { output.append(UInt8(ascii: "$")) }
      output += "#\(line.color)".utf8
      var rest = line.sixels[...(line.sixels.lastIndex { $0 != 0 } ?? 0)]
      while let sixel = rest.first {
        let count = rest.prefix { $0 == sixel }.count
        rest = rest.dropFirst(count)
        let character = 0x3F + sixel
        if count > 3 {
          output += "!\(count)".utf8
          output.append(character)
        } else {
          output += repeatElement(character, count: count)
        }
      }
    }
  }
}

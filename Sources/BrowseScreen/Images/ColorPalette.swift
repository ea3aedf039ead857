import PodcastArtwork

/// An image with few colors: those that are nearest to its own, found by dividing the colors into
/// groups at their median, the group with the widest spread first. If there are not enough for all, the
/// error of each pixel goes to its neighbors (Floyd and Steinberg): otherwise a sky has bands.
struct ColorPalette: Sendable {
  /// The colors: red, green, blue.
  private(set) var colors: [[UInt8]] = []
  /// The color of each pixel, row by row; nil where the image is transparent.
  private(set) var places: [Int?] = []

  /// Finds the colors of an image.
  ///
  /// - Parameter count: how many there may be, at least one.
  init(of image: Thumbnail, count: Int) {
    // Pixels with the same five bits of each channel are one color.
    var counts = [Int](repeating: 0, count: 1 << 15)
    var sums = [Int](repeating: 0, count: 3 << 15)
    var numbers: [Int?] = []
    numbers.reserveCapacity(image.width * image.height)
    for row in 0..<image.height {
      for column in 0..<image.width {
        guard let (red, green, blue) = image.color(column, row) else {
          numbers.append(nil)
          continue
        }
        let number = Int(red >> 3) << 10 | Int(green >> 3) << 5 | Int(blue >> 3)
        counts[number] += 1
        sums[number * 3] += Int(red)
        sums[number * 3 + 1] += Int(green)
        sums[number * 3 + 2] += Int(blue)
        numbers.append(number)
      }
    }
    let shades = counts.indices.filter { counts[$0] > 0 }.map { number in
      Shade(number: number, count: counts[number], sums: Array(sums[number * 3..<number * 3 + 3]))
    }
    var groups = shades.isEmpty ? [] : [Group(shades)]
    while groups.count < count,
      let widest = groups.indices.max(by: { groups[$0].rank < groups[$1].rank }),
      let halves = groups[widest].halves
    {
      groups[widest] = halves.0
      groups.append(halves.1)
    }
    var colorOfNumber = [Int](repeating: 0, count: counts.count)
    for (color, group) in groups.enumerated() {
      colors.append(group.mean)
      for shade in group.shades { colorOfNumber[shade.number] = color }
    }
    places = numbers.map { number in number.map { colorOfNumber[$0] } }
    if shades.count > colors.count { diffuse(image) }
  }

  /// Gives each pixel the color that is nearest to its own and to the errors of the pixels before it.
  private mutating func diffuse(_ image: Thumbnail) {
    // The nearest color for five bits of each channel, once it was looked for.
    var nearest = [Int16](repeating: -1, count: 1 << 15)
    let width = image.width
    // In sixteenths, with a pixel more on both sides.
    var (errors, next) = ([Int](repeating: 0, count: 3 * (width + 2)), [Int]())
    for row in 0..<image.height {
      next = [Int](repeating: 0, count: errors.count)
      for column in 0..<width {
        guard let (red, green, blue) = image.color(column, row) else { continue }
        let place = 3 * (column + 1)
        var wanted = (Int(red), Int(green), Int(blue))
        wanted.0 = min(max(0, wanted.0 + errors[place] / 16), 255)
        wanted.1 = min(max(0, wanted.1 + errors[place + 1] / 16), 255)
        wanted.2 = min(max(0, wanted.2 + errors[place + 2] / 16), 255)
        let number = (wanted.0 >> 3) << 10 | (wanted.1 >> 3) << 5 | wanted.2 >> 3
        if nearest[number] < 0 { nearest[number] = Int16(self.nearest(wanted)) }
        let color = Int(nearest[number])
        places[row * width + column] = color
        for (channel, level) in [wanted.0, wanted.1, wanted.2].enumerated() {
          let error = level - Int(colors[color][channel])
          errors[place + 3 + channel] += error * 7
          next[place - 3 + channel] += error * 3
          next[place + channel] += error * 5
          next[place + 3 + channel] += error
        }
      }
      swap(&errors, &next)
    }
  }

  private func nearest(_ wanted: (Int, Int, Int)) -> Int {
    var (best, least) = (0, Int.max)
    for (number, color) in colors.enumerated() {
      let (red, green, blue) = (
        wanted.0 - Int(color[0]), wanted.1 - Int(color[1]), wanted.2 - Int(color[2])
      )
      let distance = red * red + green * green + blue * blue
      if distance < least { (best, least) = (number, distance) }
    }
    return best
  }
}

extension ColorPalette {
  /// Pixels whose colors are nearly the same.
  private struct Shade {
    var number: Int
    var count: Int
    /// The sums of each channel.
    var sums: [Int]

    func level(_ channel: Int) -> Int { sums[channel] / count }
  }

  /// Shades that become one color.
  private struct Group {
    let shades: [Shade]
    /// How many pixels there are.
    let count: Int
    /// The channel in which they differ most.
    let channel: Int
    /// How much dividing them gains; zero if they cannot be divided.
    let rank: Int

    init(_ shades: [Shade]) {
      self.shades = shades
      let count = shades.reduce(0) { $0 + $1.count }
      let widths = (0..<3).map { channel in
        let levels = shades.lazy.map { $0.level(channel) }
        return (levels.max() ?? 0) - (levels.min() ?? 0)
      }
      let widest = widths.max() ?? 0
      self.count = count
      channel = widths.firstIndex(of: widest) ?? 0
      rank = widest * count
    }

    /// The mean of all pixels.
    var mean: [UInt8] {
      (0..<3).map { channel in
        UInt8(clamping: shades.reduce(0) { $0 + $1.sums[channel] } / max(1, count))
      }
    }

    /// Two groups, each with about half of the pixels; nil if there is only one shade.
    var halves: (Group, Group)? {
      guard rank > 0, shades.count > 1 else { return nil }
      let sorted = shades.sorted {
        ($0.level(channel), $0.number) < ($1.level(channel), $1.number)
      }
      var (sum, place) = (sorted[0].count, 1)
      while place < sorted.count - 1, sum + sorted[place].count / 2 < count / 2 {
        sum += sorted[place].count
        place += 1
      }
      return (Group(Array(sorted[..<place])), Group(Array(sorted[place...])))
    }
  }
}

import FoundationEssentials
import PodcastArtwork

/// Images by the graphics protocol of kitty: each is sent once, under a number, and placed where it is
/// to be seen.
struct KittyImages: Sendable {
  /// The numbers of images. They are fixed, so that whoever restores the terminal knows them, and are
  /// such as no other program has.
  private static let numbers: [UInt32] = (0..<4).map { 0x706F_6470 + $0 }
  /// How many bytes of base64 a part has: with what surrounds them less than 4 KB.
  private static let payload = 4000

  /// A last part without pixels: the terminal waits for one.
  private static let lastPart = "\u{1B}_Gm=0,q=2;\u{1B}\\"

  /// An image that the terminal has.
  private struct Stored: Sendable {
    var image: FrameImage
    var extent: Extent
    var lastUse: Int
  }

  private var stored: [UInt32: Stored] = [:]
  private var uses = 0
  /// The number of the image that is placed, or being sent.
  private var current: UInt32?

  /// Deletes all images that a podget may have sent, and the rest of one that was being sent.
  static let deletion = lastPart + numbers.map { deletion(of: $0) }.joined()

  /// The parts that show an image: its pixels, if the terminal does not have them, and where it is.
  mutating func parts(for image: FrameImage, _ cell: CellSize) -> [[UInt8]] {
    let room = cell.pixels(image.area)
    let thumbnail = image.thumbnail
    // The terminal enlarges it. More pixels than are shown would only take time.
    let extent = Extent(
      width: min(room.width, thumbnail.width), height: min(room.height, thumbnail.height))
    uses += 1
    let known = stored.first {
      $0.value.extent == extent && $0.value.image.thumbnail == thumbnail
    }?.key
    let number = known ?? free()
    current = number
    var parts: [[UInt8]] = []
    if known == nil {
      guard let scaled = thumbnail.scaled(to: extent) else { return [] }
      parts = Self.transmission(of: scaled, number)
      if stored[number] != nil { parts.insert(Array(Self.deletion(of: number).utf8), at: 0) }
    }
    stored[number] = Stored(image: image, extent: extent, lastUse: uses)
    let area = image.area
    parts.append(
      Array(
        ("\u{1B}[\(area.row + 1);\(area.column + 1)H"
          + "\u{1B}_Ga=p,i=\(number),p=1,c=\(area.columns),r=\(area.rows),C=1,q=2\u{1B}\\").utf8))
    return parts
  }

  /// Takes the image from the screen; the terminal keeps its pixels.
  mutating func hide() -> [UInt8] {
    defer { current = nil }
    return current.map { Array("\u{1B}_Ga=d,d=i,i=\($0),p=1,q=2\u{1B}\\".utf8) } ?? []
  }

  /// Ends the image that is being sent, and deletes what the terminal made of it.
  mutating func abandon() -> [UInt8] {
    defer { current = nil }
    guard let current else { return [] }
    stored[current] = nil
    return Array((Self.lastPart + Self.deletion(of: current)).utf8)
  }

  /// Deletes all images.
  mutating func deleteAll() -> [UInt8] {
    guard uses > 0 else { return [] }
    stored = [:]
    current = nil
    return Array(Self.deletion.utf8)
  }

  /// A number without an image, else that of the one used longest ago.
  private func free() -> UInt32 {
    Self.numbers.first { stored[$0] == nil }
      ?? stored.min { $0.value.lastUse < $1.value.lastUse }?.key ?? Self.numbers[0]
  }

  private static func deletion(of number: UInt32) -> String {
    "\u{1B}_Ga=d,d=I,i=\(number),q=2\u{1B}\\"
  }

  /// The pixels as base64, in parts of which all but the last say that more follow.
  private static func transmission(of image: Thumbnail, _ number: UInt32) -> [[UInt8]] {
    var rest = Array(Data(image.pixels).base64EncodedData())[...]
    var keys =
      "a=t,i=\(number),f=\(image.hasAlpha ? 32 : 24),s=\(image.width),v=\(image.height),"
    var parts: [[UInt8]] = []
    repeat {
      let data = rest.prefix(payload)
      rest = rest.dropFirst(data.count)
      parts.append(
        Array("\u{1B}_G\(keys)q=2,m=\(rest.isEmpty ? 0 : 1);".utf8) + data + Array("\u{1B}\\".utf8))
      keys = ""
    } while !rest.isEmpty
    return parts
  }
}

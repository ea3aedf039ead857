import FoundationEssentials
import PodcastArtwork

/// Images by the graphics protocol of kitty: each is sent once, under a number, and placed where it is
/// to be seen.
struct KittyImages: Sendable {
  /// The numbers of images. They are fixed, so that whoever restores the terminal knows them, and are
  /// such as no other program has. A screen of a hundred rows may have an image in each.
  private static let numbers: [UInt32] = (0..<112).map { 0x706F_6470 + $0 }
  /// How many bytes of base64 a part has: with what surrounds them less than 4 KB.
  private static let payload = 4000

  /// A last part without pixels: the terminal waits for one.
  private static let lastPart = "\u{1B}_Gm=0,q=2;\u{1B}\\"

  /// An image that the terminal has.
  private struct Stored: Sendable {
    var thumbnail: Thumbnail
    var extent: Extent
    var lastUse: Int
  }

  private var stored: [UInt32: Stored] = [:]
  private var uses = 0
  /// The numbers of the images that are placed, or being sent.
  private var placed: [(image: FrameImage, number: UInt32)] = []

  /// Deletes all images that a podget may have sent, and the rest of one that was being sent.
  static let deletion = lastPart + numbers.map { deletion(of: $0) }.joined()

  /// The parts that show an image: its pixels, if the terminal does not have them, and where it is.
  mutating func parts(for image: FrameImage, _ cell: CellSize) -> [[UInt8]] {
    let thumbnail = image.thumbnail
    // The terminal enlarges it. More pixels than are shown would only take time.
    let extent = image.extent(cell)
    uses += 1
    let known = stored.first {
      $0.value.extent == extent && $0.value.thumbnail == thumbnail
    }?.key
    guard let number = known ?? free() else { return [] }
    var parts: [[UInt8]] = []
    if known == nil {
      guard let scaled = thumbnail.scaled(to: extent) else { return [] }
      parts = Self.transmission(of: scaled, number)
      if stored[number] != nil { parts.insert(Array(Self.deletion(of: number).utf8), at: 0) }
    }
    stored[number] = Stored(thumbnail: thumbnail, extent: extent, lastUse: uses)
    placed.append((image, number))
    let area = image.area
    parts.append(
      Array(
        ("\u{1B}[\(area.row + 1);\(area.column + 1)H"
          + "\u{1B}_Ga=p,i=\(number),p=\(area.row + 1),c=\(area.columns),r=\(area.rows),C=1,q=2\u{1B}\\")
          .utf8))
    return parts
  }

  /// Takes an image from the screen; the terminal keeps its pixels.
  mutating func hide(_ image: FrameImage) -> [UInt8] {
    guard let number = forget(image) else { return [] }
    return Array("\u{1B}_Ga=d,d=i,i=\(number),p=\(image.area.row + 1),q=2\u{1B}\\".utf8)
  }

  /// Ends the image that is being sent, and deletes what the terminal made of it.
  mutating func abandon(_ image: FrameImage) -> [UInt8] {
    guard let number = forget(image) else { return [] }
    stored[number] = nil
    return Array((Self.lastPart + Self.deletion(of: number)).utf8)
  }

  /// The number of an image that is placed no longer.
  private mutating func forget(_ image: FrameImage) -> UInt32? {
    placed.firstIndex { $0.image == image }.map { placed.remove(at: $0).number }
  }

  /// Deletes all images.
  mutating func deleteAll() -> [UInt8] {
    guard uses > 0 else { return [] }
    stored = [:]
    placed = []
    return Array(Self.deletion.utf8)
  }

  /// A number without an image, else that of the one used longest ago; nil if all are on the screen.
  private func free() -> UInt32? {
    Self.numbers.first { stored[$0] == nil }
      ?? stored.filter { known in !placed.contains { $0.number == known.key } }
      .min { $0.value.lastUse < $1.value.lastUse }?.key
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

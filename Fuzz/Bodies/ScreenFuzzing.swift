import BrowseScreen
import PodcastArtwork
import PodcastBrowse

/// The screen of `podget browse` after any keys and answers, with an image, on a terminal that is slow.
enum ScreenFuzzing {
  static func run(_ input: inout FuzzInput) throws {
    let size = ScreenSize(columns: input.choice(100), rows: input.choice(40))
    let choice = ImageChoice.allCases[input.choice(ImageChoice.allCases.count)]
    let room = input.short() + 1
    var decoder = KeyDecoder()
    let keys = decoder.keys(input.remaining())
    var images = TerminalImages(
      choice, TerminalEnvironment(["TERM": "xterm-256color"]), hasColor: true, isUTF8: true)
    for answer in decoder.takeAnswers() { images.take(answer) }

    var model = BrowseModel(size: size, source: "show")
    _ = model.reduce(
      .images(
        images.method == nil ? nil : images.cell, inRows: images.method?.drawsPixels ?? false))
    let episodes = (0..<50).map {
      EpisodeRow(key: "\($0)", podcast: "Show", title: "Number \($0)", artwork: "a\($0 % 7)")
    }
    _ = model.reduce(
      .podcast(
        "show",
        PodcastPage(
          title: "Show", author: "Ann", episodes: episodes, isFollowed: false, artwork: "a")))
    _ = model.reduce(.new(RowList(episodes), counts: [:]))
    for number in 0..<6 {
      _ = model.reduce(
        .icon(
          "a\(number)",
          Thumbnail(
            width: 1 + number, height: 1, hasAlpha: false,
            pixels: Array(repeating: UInt8(number), count: 3 + 3 * number))))
    }
    _ = model.reduce(
      .artwork("a", Thumbnail(width: 2, height: 1, hasAlpha: false, pixels: [1, 2, 3, 4, 5, 6])))
    var output = FrameOutput()
    output.isSynchronized = images.isSynchronized
    output.drawImages(images.method, cell: images.cell)
    try show(model, &output, room: room)
    // A frame for each key would draw the same again and again.
    for key in keys.prefix(200) { _ = model.reduce(.key(key)) }
    try show(model, &output, room: .max)
    try FuzzFailure.require(!output.isWaiting, "Something is never written.")
  }

  /// Draws a frame; the terminal takes some of it.
  private static func show(
    _ model: BrowseModel, _ output: inout FrameOutput, room: Int
  ) throws {
    let size = model.size
    let frame = BrowseView.frame(model, BrowseLook(hasColor: true, isUTF8: true))
    try FuzzFailure.require(frame.lines.count == size.rows, "\(frame.lines.count) rows")
    for area in frame.images.map(\.area) {
      try FuzzFailure.require(
        area.row > 0 && area.row + area.rows < size.rows
          && area.column + area.columns < size.columns, "The image is at \(area).")
    }
    output.show(frame)
    var total = 0
    while output.isWaiting, total < room {
      _ = output.flush { bytes in
        let count = min(bytes.count, room - total)
        total += count
        return count > 0 ? .bytes(count) : .blocked
      }
    }
    try FuzzFailure.require(total < 2_000_000, "\(total) bytes for a frame")
  }
}

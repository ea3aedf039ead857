import PodcastModel

/// A page of text, wrapped once for a width and not for each frame: it may be very long.
struct WrappedPage: Sendable {
  /// The widest column of labels.
  private static let widestLabel = 16

  /// The lines.
  private(set) var lines: [String] = []
  /// Where the lines of each line of the page begin.
  private var starts: [Int] = []

  private var source: [DetailLine] = []
  private var columns = 0

  /// Wraps the lines of a page, unless that has been done.
  mutating func wrap(_ source: [DetailLine], columns: Int) {
    guard source != self.source || columns != self.columns else { return }
    self.source = source
    self.columns = columns
    let labels = source.lazy.map { TerminalText.width($0.label) }.max() ?? 0
    let width = min(labels, Self.widestLabel, columns / 3)
    starts = []
    var count = 0
    lines = source.flatMap { line in
      let lines = wrapped(line, columns: columns, width: width)
      starts.append(count)
      count += lines.count
      return lines
    }
  }

  /// The lines of a line of the page.
  func range(of place: Int) -> Range<Int> {
    guard starts.indices.contains(place) else { return 0..<0 }
    let end = place + 1 < starts.count ? starts[place + 1] : lines.count
    return starts[place]..<end
  }

  /// The link that a line is a part of.
  func link(ofLine line: Int) -> String? {
    let place = place(ofLine: line)
    return line >= 0 && line < lines.count && source.indices.contains(place)
      ? source[place].link : nil
  }

  /// Moves a selection by lines, and scrolls so that it is seen. One that is longer than the screen is
  /// scrolled first.
  func move(_ selection: inout Int, _ top: inout Int, by distance: Int, height: Int) {
    let distance = min(max(distance, -lines.count), lines.count)
    let last = max(0, lines.count - height)
    var range = range(of: selection)
    // To the first or the last line nothing is scrolled on the way.
    let isJump = abs(distance) == lines.count
    if distance > 0, !isJump, range.upperBound > top + height {
      top = min(top + distance, range.upperBound - height, last)
      return
    }
    if distance < 0, !isJump, range.lowerBound < top {
      top = max(top + distance, range.lowerBound)
      return
    }
    if distance != 0 {
      let step = selection + distance.signum()
      let place = place(ofLine: range.lowerBound + distance)
      selection = distance > 0 ? max(place, step) : min(place, step)
    }
    selection = min(max(0, selection), max(0, starts.count - 1))
    range = self.range(of: selection)
    let isBelow = range.lowerBound >= top + height
    let isAbove = range.upperBound <= top
    if isBelow || distance > 0 && range.upperBound > top + height {
      top = min(range.lowerBound, max(top, range.upperBound - height))
    } else if isAbove || distance < 0 && range.lowerBound < top {
      top = max(range.lowerBound, min(top, range.upperBound - height))
    }
    top = min(max(0, top), last)
  }

  /// The line of the page that a line is of; the first or the last one beyond its ends.
  func place(ofLine line: Int) -> Int {
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] <= line { low = middle + 1 } else { high = middle }
    }
    return max(0, low - 1)
  }

  private func wrapped(_ line: DetailLine, columns: Int, width: Int) -> [String] {
    let indent = width == 0 ? 0 : width + 2
    let text = WrappedText.lines(TerminalText.safe(line.text), columns: columns - indent)
    guard indent > 0 else { return text }
    return text.enumerated().map { place, text in
      guard place == 0 else { return String(repeating: " ", count: indent) + text }
      let label = TerminalText.truncated(TerminalText.safe(line.label), to: width, mark: "")
      let space = String(repeating: " ", count: width - TerminalText.width(label))
      return space + label + "  " + text
    }
  }
}

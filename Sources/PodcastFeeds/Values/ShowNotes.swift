import PodcastModel

/// A description for people who read it as a text: items have marks, and links have numbers.
public struct ShowNotes: Sendable, Hashable {
  /// The lines. Behind the words of each link is its number, such as `[2]`.
  public var text: String
  /// The addresses of the links, from number 1 on. Only links of the web have numbers: one of mail may name
  /// files to send.
  public var links: [String]

  /// The most links that have numbers.
  private static let mostLinks = 200

  /// Reads a description; nil when no words are left.
  ///
  /// - Parameters:
  ///   - html: the description as published.
  ///   - page: the address of the episode's page, which is the first link.
  init?(_ html: String, page: String?) {
    var builder = Builder()
    _ = page.map { builder.number(of: $0) }
    guard let text = DescriptionText.text(html, mark: { builder.take($0, &$1) }) else { return nil }
    self.text = text.split(separator: "\n", omittingEmptySubsequences: false).map {
      builder.numbering(plainLinksOf: $0)
    }.joined(separator: "\n")
    links = builder.links
  }

  /// An address that can be opened: printable, and without blanks.
  static func address(_ text: String) -> String? {
    let address = WebAddress.forRequest(text)
    let scheme = address.prefix { $0 != ":" }.lowercased()
    guard ["http", "https"].contains(scheme), address.utf8.count <= 2048,
      address.utf8.count > scheme.utf8.count + 3,
      address.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    return address
  }
}

extension ShowNotes {
  /// What is known between two tags.
  private struct Builder {
    /// The deepest list whose items are counted.
    private static let deepest = 32

    private(set) var links: [String] = []
    private var numbers: [String: Int] = [:]
    /// The open lists, each with the number of its last item; nil if its items have none.
    private var lists: [Int?] = []
    /// The number of the open link.
    private var open: Int?
    /// Where the text of an item begins that has only its mark.
    private var item: Int?

    /// Takes a tag; whether a block begins a new line there.
    mutating func take(_ bytes: UnsafeBufferPointer<UInt8>, _ output: inout [UInt8]) -> Bool {
      let tag = MarkupTag(bytes)
      guard let range = tag.name else { return true }
      let name = String(decoding: bytes[range].prefix(10), as: UTF8.self).lowercased()
      let isBehindMark = item == output.count
      switch (name, tag.kind) {
      case ("a", let kind):
        let wasOpen = open != nil
        close(&output)
        // A slash at the end means nothing here.
        guard kind != .end else { break }
        if wasOpen { output.append(0x20) }
        open = href(tag).flatMap { number(of: $0) }
      case ("ul", .start), ("ol", .start):
        if lists.count < Self.deepest { lists.append(name == "ol" ? 0 : nil) }
      case ("ul", .end), ("ol", .end): _ = lists.popLast()
      case ("li", .start):
        var mark = "- "
        if let last = lists.last ?? nil {
          lists[lists.count - 1] = last + 1
          mark = "\(last + 1). "
        }
        // A list that begins in an item is on its line.
        if !isBehindMark { DescriptionText.lineFeed(&output) }
        output += mark.utf8
        item = output.count
        return false
      default: break
      }
      return !isBehindMark || tag.kind == .end
    }

    /// The number of an address; nil if it has none.
    mutating func number(of text: String) -> Int? {
      guard let address = ShowNotes.address(text) else { return nil }
      if let number = numbers[address] { return number }
      guard links.count < ShowNotes.mostLinks else { return nil }
      links.append(address)
      numbers[address] = links.count
      return links.count
    }

    /// A line in which addresses that are no links have numbers too.
    mutating func numbering(plainLinksOf line: Substring) -> String {
      guard line.contains("://") else { return String(line) }
      let words = line.split(separator: " ", omittingEmptySubsequences: false)
      return words.indices.map { place in
        let word = words[place]
        let next = place + 1 < words.count ? words[place + 1] : ""
        let isNumbered = next.hasPrefix("[") && next.contains(/^\[[0-9]+\]/)
        guard !isNumbered, let number = number(inWord: word) else { return String(word) }
        return "\(word) [\(number)]"
      }.joined(separator: " ")
    }

    private mutating func number(inWord word: Substring) -> Int? {
      var word = word.drop { "([{<\"'".contains($0) }
      while let last = word.last, ".,;:!?)]}>\"'".contains(last) { word.removeLast() }
      guard word.hasPrefix("http://") || word.hasPrefix("https://") else { return nil }
      return number(of: String(word))
    }

    private mutating func close(_ output: inout [UInt8]) {
      guard let number = open else { return }
      open = nil
      if let last = output.last, !MarkupTag.isSpace(last) { output.append(0x20) }
      output += "[\(number)]".utf8
    }

    private func href(_ tag: MarkupTag) -> String? {
      var address: String?
      tag.forEachAttribute { attribute in
        let name = String(decoding: tag.bytes[attribute.name].prefix(8), as: UTF8.self)
        guard address == nil, name.lowercased() == "href" else { return }
        address = CharacterReference.decoded(
          UnsafeBufferPointer(rebasing: tag.bytes[attribute.value]))
      }
      return address
    }
  }
}

/// Attributes that are needed when the text of their element is complete.
struct TextAttributes {
  private(set) var href: [UInt8]?
  private(set) var url: [UInt8]?
  private(set) var role: [UInt8]?
  private(set) var pubDate: [UInt8]?
  private(set) var length: [UInt8]?
  private(set) var type: [UInt8]?

  init() {}

  init(_ attributes: ElementAttributes) {
    href = attributes["href"].map(Array.init)
    url = attributes["url"].map(Array.init)
    role = attributes["role"].map(Array.init)
    pubDate = attributes["pubdate"].map(Array.init)
    length = attributes["length"].map(Array.init)
    type = attributes["type"].map(Array.init)
  }
}

/// The members of a JSON Feed item that say something here. Of equal names the last one counts.
struct JSONItem {
  /// An attachment's members.
  struct Attachment {
    var url: JSONValue?
    var mimeType: JSONValue?
    var size: JSONValue?
    var duration: JSONValue?
  }

  var id: JSONValue?
  var title: JSONValue?
  var published: JSONValue?
  var modified: JSONValue?
  var image: JSONValue?
  var bannerImage: JSONValue?
  var url: JSONValue?
  var externalURL: JSONValue?
  var contentHTML: JSONValue?
  var contentText: JSONValue?
  var summary: JSONValue?
  var attachments: [Attachment] = []

  /// The first of the texts that has words.
  var description: String? {
    [contentHTML, contentText, summary].lazy.compactMap { $0?.text }.first { !$0.isEmpty }
  }

  /// Reads an item; nil for an element that is none.
  ///
  /// - Parameter details: whether what only details need is kept.
  static func read(
    _ scanner: inout JSONScanner, details: Bool
  ) throws(JSONScanner.Fault) -> JSONItem? {
    guard scanner.isObject() else {
      try scanner.skip()
      return nil
    }
    var item = JSONItem()
    try scanner.object { (scanner, name) throws(JSONScanner.Fault) in
      switch name {
      case "id": item.id = try scanner.scalar()
      case "title": item.title = try scanner.scalar()
      case "date_published": item.published = try scanner.scalar()
      case "date_modified": item.modified = try scanner.scalar()
      case "image": item.image = try scanner.scalar()
      case "banner_image": item.bannerImage = try scanner.scalar()
      case "url" where details: item.url = try scanner.scalar()
      case "external_url" where details: item.externalURL = try scanner.scalar()
      case "content_html" where details || item.title == nil:
        item.contentHTML = try scanner.scalar()
      case "content_text" where details || item.title == nil:
        item.contentText = try scanner.scalar()
      case "summary" where details || item.title == nil: item.summary = try scanner.scalar()
      case "attachments": item.attachments = try attachments(&scanner)
      default: try scanner.skip()
      }
    }
    return item
  }

  private static func attachments(
    _ scanner: inout JSONScanner
  ) throws(JSONScanner.Fault) -> [Attachment] {
    var attachments: [Attachment] = []
    guard scanner.isArray() else {
      try scanner.skip()
      return []
    }
    try scanner.array { scanner throws(JSONScanner.Fault) in
      guard attachments.count < FeedLimits.attachments, scanner.isObject() else {
        return try scanner.skip()
      }
      var attachment = Attachment()
      try scanner.object { (scanner, name) throws(JSONScanner.Fault) in
        switch name {
        case "url": attachment.url = try scanner.scalar()
        case "mime_type": attachment.mimeType = try scanner.scalar()
        case "size_in_bytes": attachment.size = try scanner.scalar()
        case "duration_in_seconds": attachment.duration = try scanner.scalar()
        default: try scanner.skip()
        }
      }
      attachments.append(attachment)
    }
    return attachments
  }
}

@testable import PodcastFeeds

/// Lists that tests write.
enum OPMLCase {
  /// A list with this in its body.
  static func list(_ body: String, head: String = "", root: String = "version=\"2.0\"") -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <opml \(root)>
      <head>\(head)</head>
      <body>
    \(body)
      </body>
    </opml>

    """
  }

  /// Reads a list strictly.
  static func document(_ text: String) throws(OPMLError) -> OPMLDocument {
    try OPMLDocument(reading: Array(text.utf8))
  }

  /// Imports a list.
  static func read(_ text: String) throws -> OPMLImport {
    try OPMLImport.read(Array(text.utf8), name: "list.opml")
  }

  /// The list as written.
  static func text(_ document: OPMLDocument) -> String {
    String(decoding: document.bytes(), as: UTF8.self)
  }
}

@testable import PodcastFeeds
@testable import PodcastModel

/// Lists of subscriptions, read strictly and imported.
enum OPMLFuzzing {
  static func run(_ input: inout FuzzInput) throws {
    let size = input.choice(64) + 1
    let bytes = input.remaining()
    if let document = try checkPieces(bytes, size: size) {
      try checkRoundTrip(document)
      // A tag may be longer or have more attributes than an import reads; no other list is lost.
      _ = try? OPMLImport.read(bytes, name: "list")
    }
    guard let list = try? OPMLImport.read(bytes, name: "list") else { return }
    try check(list, bytes)
    try checkExport(list)
  }

  /// The document, which must not depend on the blocks that the parser gets.
  private static func checkPieces(_ bytes: [UInt8], size: Int) throws -> OPMLDocument? {
    let whole = Result { () throws(OPMLError) in try OPMLReader.document(bytes) }
    let pieces = Result { () throws(OPMLError) in
      try OPMLReader.document(bytes, blockBytes: size)
    }
    switch (whole, pieces) {
    case (.success(let whole), .success(let pieces)):
      try FuzzFailure.require(whole == pieces, "Blocks of \(size) give something else.")
      return whole
    case (.failure(let whole), .failure):
      // What libxml2 finds first may depend on how much it sees.
      try FuzzFailure.require(whole.line > 0 && whole.column > 0, "An error without a place.")
      try FuzzFailure.require(!whole.sentence.isEmpty, "An error without words.")
      return nil
    default:
      throw FuzzFailure(description: "Blocks of \(size) are read, or refused, and all is not.")
    }
  }

  private static func checkRoundTrip(_ document: OPMLDocument) throws {
    let written = document.bytes()
    let again = try OPMLDocument(reading: written)
    try FuzzFailure.require(again == document, "Reading what was written gives something else.")
    try FuzzFailure.require(again.bytes() == written, "Writing it again gives something else.")
  }

  private static func check(_ list: OPMLImport, _ bytes: [UInt8]) throws {
    try FuzzFailure.require(list.title != "", "An empty title.")
    try FuzzFailure.require(list.problem?.message != "", "A problem without words.")
    var line = 0
    for (entry, first) in zip(list.entries, list.duplicates()) {
      try FuzzFailure.require((entry.verdict == .feed) == (entry.url != nil), "\(entry.verdict)")
      try FuzzFailure.require(entry.url == nil || entry.address != nil, "A feed without address.")
      try FuzzFailure.require(entry.title != "" && entry.address != "", "An empty text.")
      try FuzzFailure.require(entry.line >= max(line, 1), "Line \(entry.line) behind \(line).")
      line = entry.line
      try FuzzFailure.require(
        Set(entry.categories).count == entry.categories.count, "A category twice.")
      for category in entry.categories {
        let names = category.split(separator: "/", omittingEmptySubsequences: false)
        try FuzzFailure.require(!names.contains(""), "The category \(category)")
        try FuzzFailure.require(category.utf8.count <= 1024, "A category without end.")
      }
      if let first {
        try FuzzFailure.require(list.entries[first].url != nil, "The same as no feed.")
      }
    }
  }

  /// A list that is written from imported feeds is read as the same feeds.
  private static func checkExport(_ list: OPMLImport) throws {
    var document = OPMLDocument(title: list.title ?? "", dateCreated: nil)
    for entry in list.entries {
      guard let url = entry.url else { continue }
      var outline = OPMLOutline(["text": entry.title ?? "", "type": "rss", "xmlUrl": url.text])
      for setting in entry.settings {
        outline.set(setting.value, setting.local, namespace: OPMLDocument.namespace)
      }
      document.nodes.append(.outline(outline))
    }
    let written = document.bytes()
    let again = try OPMLImport.read(written, name: "again")
    try FuzzFailure.require(again.problem == nil, "What was exported is broken.")
    try FuzzFailure.require(
      again.entries.map(\.url?.text) == list.entries.compactMap(\.url?.text), "Other feeds.")
    try FuzzFailure.require(
      again.entries.map { $0.settings.map(\.value) }
        == list.entries.filter { $0.url != nil }.map { $0.settings.map(\.value) },
      "Other settings.")
    try checkRoundTrip(try OPMLDocument(reading: written))
  }
}

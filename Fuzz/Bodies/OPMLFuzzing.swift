@testable import PodcastFeeds
@testable import PodcastModel

/// Lists of subscriptions, read strictly and imported.
enum OPMLFuzzing {
  static func run(_ input: inout FuzzInput) throws {
    // Inputs begin with a number that is not used any more.
    _ = input.choice(64)
    let bytes = input.remaining()
    if let document = try read(bytes) {
      try checkRoundTrip(document)
      // A tag may be longer or have more attributes than an import reads; no other list is lost.
      _ = try? OPMLImport.read(bytes, name: "list")
    }
    guard let list = try? OPMLImport.read(bytes, name: "list") else { return }
    try check(list, bytes)
    try checkExport(list)
  }

  /// The document, or an error that helps.
  private static func read(_ bytes: [UInt8]) throws -> OPMLDocument? {
    do throws(OPMLError) {
      return try OPMLDocument(reading: bytes)
    } catch {
      try FuzzFailure.require(error.line > 0 && error.column > 0, "An error without a place.")
      try FuzzFailure.require(!error.sentence.isEmpty, "An error without words.")
      return nil
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

/// The text of a small document beside a feed.
enum DocumentText {
  /// Clean UTF-8, whatever the document is encoded in; cut at so many bytes.
  ///
  /// - Parameter charset: the encoding that the answer names, if it does.
  static func decoded(
    _ bytes: some Sequence<UInt8>, charset: String?, maximumBytes: Int
  ) -> [UInt8] {
    var decoder = FeedDecoder(charset: charset)
    var output: [UInt8] = []
    Array(bytes).withUnsafeBufferPointer { bytes in
      let kept = UnsafeBufferPointer(rebasing: bytes.prefix(maximumBytes))
      decoder.add(kept, to: &output)
    }
    decoder.finish(to: &output)
    FeedText.cut(&output, to: maximumBytes)
    return output
  }

  /// Whether it is a web page: servers send one where a document is missing.
  static func isWebPage(_ text: some Collection<UInt8>) -> Bool {
    let start = text.drop(while: MarkupTag.isSpace).prefix(16)
    let word = String(decoding: start, as: UTF8.self).lowercased()
    return word.hasPrefix("<!doctype html") || word.hasPrefix("<html")
  }
}

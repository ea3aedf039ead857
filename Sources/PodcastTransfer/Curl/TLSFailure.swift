import PodcastModel

/// Failures of TLS in plain words: libcurl passes on what OpenSSL says to programmers.
enum TLSFailure {
  /// What libcurl's text says, for use after a colon.
  static func sentence(_ text: String) -> String {
    let lowered = text.lowercased()
    if ["wrong version number", "packet length too long", "http request"].contains(
      where: lowered.contains)
    {
      return "the server does not speak TLS there; the address may begin with http://"
    }
    if ["ssl_error_syscall", "ssl_error_zero_return", "unexpected eof"].contains(
      where: lowered.contains)
    {
      return "the server closed the connection; it may not speak TLS there"
    }
    // `error:0A000086:SSL routines::certificate verify failed`, perhaps after libcurl's own words.
    if let code = text.range(of: "error:"), let reason = text.range(of: "::", after: code) {
      return String(text[reason.upperBound...])
    }
    for start in ["SSL certificate problem: ", "OpenSSL SSL_connect: ", "SSL: "]
    where text.hasPrefix(start) {
      return text.dropFirst(start.count).trimmingWhitespace()
    }
    return text
  }
}

extension String {
  /// The first place of a text from the start, or after another place.
  fileprivate func range(of text: String, after other: Range<Index>? = nil) -> Range<Index>? {
    self[(other?.upperBound ?? startIndex)...].firstRange(of: text)
  }
}

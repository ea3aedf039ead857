internal import CCurl

extension RedirectChain {
  /// The target of the `Location` field of an answer (RFC 9110, section 10.2.2): the reference,
  /// resolved against the requested address (RFC 3986, section 5.2) with libcurl's own parser, so
  /// that both see the same host.
  ///
  /// libcurl reports the target too, but only after it has read the complete body of the answer,
  /// which may be long, broken or endless.
  ///
  /// - Returns: an absolute address, not yet encoded for a request; the unchanged reference if it
  ///   cannot be resolved; nil without memory.
  static func target(_ reference: String, against base: String) -> String? {
    guard let parts = podget_url_new() else { return nil }
    defer { podget_url_cleanup(parts) }
    guard podget_url_set(parts, CURLUPART_URL, base, 0) == CURLUE_OK else { return nil }
    // Any scheme is returned, so that one that is not followed can be named.
    let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_ALLOW_SPACE)
    var text: UnsafeMutablePointer<CChar>?
    defer { podget_curl_free(text) }
    guard podget_url_set(parts, CURLUPART_URL, reference, flags) == CURLUE_OK,
      podget_url_get(parts, CURLUPART_URL, &text, flags) == CURLUE_OK, let text
    else { return reference }
    return String(cString: text)
  }
}

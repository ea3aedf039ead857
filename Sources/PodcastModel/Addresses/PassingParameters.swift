/// Query parameters that do not identify the file: who links to it, how long the address is valid,
/// and its signature.
///
/// Hosts generate them for every request, so addresses are compared without them. The list has only
/// names that no host uses for an episode: a missing name costs a download, and a wrong one loses
/// an episode.
package enum PassingParameters {
  private static let signaturePrefixes = ["x-amz-", "x-goog-"]

  private static let clicks: Set<String> = [
    // Google, Meta, Microsoft, Mailchimp.
    "gclid", "gbraid", "wbraid", "fbclid", "msclkid", "mc_cid", "mc_eid",
  ]

  private static let signatures: Set<String> = [
    // Amazon S3 and CloudFront, Google's storage.
    "awsaccesskeyid", "googleaccessid", "key-pair-id", "signature", "policy", "expires",
    // Akamai.
    "hdnea", "hdnts", "hdntl", "__gda__", "__token__",
  ]

  /// The parameters of a signed address of Azure's storage, which has `sig` and `se`.
  private static let azure: Set<String> = [
    "sig", "se", "st", "sp", "sv", "sr", "spr", "sip", "skoid", "sktid", "skt", "ske", "sks", "skv",
  ]

  private static func isSignature(_ name: String) -> Bool {
    signatures.contains(name) || signaturePrefixes.contains { name.hasPrefix($0) }
  }

  /// A query without these parameters, sorted by name.
  static func removed(from query: Substring) -> String {
    guard query.contains("=") else { return String(query) }
    let pairs = query.replacing("&amp;", with: "&").split(separator: "&").map { pair in
      (name: pair.prefix { $0 != "=" }.lowercased(), text: pair)
    }
    let all = Set(pairs.lazy.map(\.name))
    let isAzure = all.contains("sig") && all.contains("se") && all.contains("sv")
    let kept = pairs.filter { name, _ in
      !clicks.contains(name) && !name.hasPrefix("utm_") && !isSignature(name)
        && !(isAzure && azure.contains(name))
    }
    return kept.map(\.text).sorted().joined(separator: "&")
  }
}

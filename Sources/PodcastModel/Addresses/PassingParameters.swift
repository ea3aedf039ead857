/// Query parameters that say nothing about what is at an address: who links to it, and until when and
/// by whose leave it may be fetched.
///
/// Hosts make them anew for every request, so addresses are compared without them. Only names that no
/// host uses for an episode stand here: one that is missing costs a download, and one too many an
/// episode.
enum PassingParameters {
  private static let prefixes = ["utm_", "x-amz-", "x-goog-"]

  private static let names: Set<String> = [
    // Links that are counted: Google, Meta, Microsoft, Mailchimp.
    "gclid", "gbraid", "wbraid", "fbclid", "msclkid", "mc_cid", "mc_eid",
    // Amazon S3 and CloudFront, Google's storage.
    "awsaccesskeyid", "googleaccessid", "key-pair-id", "signature", "policy", "expires",
    // Akamai.
    "hdnea", "hdnts", "hdntl", "__gda__", "__token__",
  ]

  /// What signs an address of Azure's storage, where `sig` and `se` are among it.
  private static let azure: Set<String> = [
    "sig", "se", "st", "sp", "sv", "sr", "spr", "sip", "skoid", "sktid", "skt", "ske", "sks", "skv",
  ]

  /// A query without these parameters, the others in the order of their names.
  static func removed(from query: Substring) -> String {
    guard query.contains("=") else { return String(query) }
    let pairs = query.replacing("&amp;", with: "&").split(separator: "&").map { pair in
      (name: pair.prefix { $0 != "=" }.lowercased(), text: pair)
    }
    let all = Set(pairs.lazy.map(\.name))
    let isAzure = all.contains("sig") && all.contains("se") && all.contains("sv")
    let kept = pairs.filter { name, _ in
      !names.contains(name) && !prefixes.contains { name.hasPrefix($0) }
        && !(isAzure && azure.contains(name))
    }
    return kept.map(\.text).sorted().joined(separator: "&")
  }
}

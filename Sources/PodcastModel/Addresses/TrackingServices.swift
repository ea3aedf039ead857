/// Services that count downloads with a prefix before an enclosure's address.
///
/// Publishers add, remove and reorder them at any time, so an address is compared without them. A
/// row is a host, including its subdomains, with the maximum number of its own path segments before
/// the real address.
enum TrackingServices {
  /// The table; if a service is missing, two addresses differ, which is harmless.
  static let ownSegments: [String: Int] = [
    "podtrac.com": 2,  // www.podtrac.com/pts/redirect.mp3/, dts.podtrac.com/redirect.mp3/
    "chrt.fm": 2,  // chrt.fm/track/ID/
    "chtbl.com": 2,  // chtbl.com/track/ID/
    "pdst.fm": 2,  // pdst.fm/e/
    "pscrb.fm": 2,  // pscrb.fm/rss/p/
    "podscribe.com": 2,  // verifi.podscribe.com/rss/p/
    "mgln.ai": 2,  // mgln.ai/e/ID/, mgln.ai/track/
    "claritaspod.com": 1,  // claritaspod.com/measure/
    "clrtpod.com": 1,  // clrtpod.com/m/
    "op3.dev": 1,  // op3.dev/e/, op3.dev/e,pg=GUID/
    "arttrk.com": 2,  // arttrk.com/p/ID/
    "gum.fm": 2,  // 2.gum.fm/, s.gum.fm/s-ID/
    "prfx.byspotify.com": 1,  // prfx.byspotify.com/e/
    "pdcn.co": 1,  // pdcn.co/e/
    "pdrl.fm": 1,  // pdrl.fm/ID/
    "pfx.vpixl.com": 1,  // pfx.vpixl.com/ID/
    "prefix.up.audio": 1,  // prefix.up.audio/s/
    "media.blubrry.com": 2,  // media.blubrry.com/SHOW/
    "growx.podkite.com": 2,  // growx.podkite.com/https/ID/
    "proxycast.org": 2,  // ID.proxycast.org/ID/
    "adbarker.com": 2,  // adbarker.com/ID/
    "tracking.swap.fm": 2,  // tracking.swap.fm/track/ID/
    "swap.fm": 2,  // swap.fm/track/ID/
    "flex.acast.com": 0,  // flex.acast.com/
  ]

  /// How many segments of its own a host may have; nil when it is not one of the services.
  static func ownSegments(of host: String) -> Int? {
    var name = host[...]
    while true {
      // No name in the table is longer; a host with very many labels would take very long.
      if name.utf8.count <= 32, let count = ownSegments[String(name)] { return count }
      guard let dot = name.firstIndex(of: ".") else { return nil }
      name = name[dot...].dropFirst()
    }
  }
}

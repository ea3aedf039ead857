import PodcastModel

/// The tab Downloads: what runs, waits, has failed, or was begun.
extension BrowseModel {
  /// Makes its list anew if an episode came or went while it is shown.
  mutating func refreshDownloads() {
    guard tab == .downloads, areDownloadsStale else { return }
    areDownloadsStale = false
    var keys: Set<String> = []
    var rows: [EpisodeRow] = []
    for (key, state) in states where state.isUnfinished {
      guard var row = row(key) else { continue }
      row.state = state
      rows.append(row)
      keys.insert(key)
    }
    rows.sort { $0.key < $1.key }
    rows += saved.rows.filter { $0.state.isUnfinished && !keys.contains($0.key) }
    downloads.set(rows)
  }

  /// What all downloads of the list have to do: their speed in bytes a second, and the bytes that are
  /// left as far as that is known.
  package var downloadTotals: (speed: Int64, left: Int64) {
    let left = downloads.rows.lazy.map { row -> Int64? in
      guard row.state.isActive else { return nil }
      let (received, total) = row.state.bytes ?? (0, nil)
      return (total ?? row.size).map { max(0, $0 - received) }
    }
    return (ByteSum.of(speeds.values.map { $0 }), ByteSum.of(Array(left)))
  }

  /// How long a number of bytes takes at a speed in bytes a second; nil if that is not known.
  package static func timeLeft(_ bytes: Int64, at speed: Int64) -> String? {
    guard speed > 0, bytes > 0 else { return nil }
    return DurationText.clock(seconds: Double(bytes) / Double(speed))
  }
}

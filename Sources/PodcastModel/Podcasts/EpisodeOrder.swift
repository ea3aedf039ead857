extension Sequence<Episode> {
  /// The episodes with the newest first.
  ///
  /// Equal dates keep their order, and so do episodes without a date, which come last.
  public func newestFirst() -> [Episode] {
    sorted { first, second in
      switch (first.date, second.date) {
      case (let first?, let second?): first > second
      case (_?, nil): true
      case (nil, _): false
      }
    }
  }
}

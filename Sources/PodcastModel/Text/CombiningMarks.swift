extension String {
  /// The text with at most thirty combining marks in a row, as in the Stream-Safe Text Format
  /// (Unicode Standard Annex 15, section 13); the rest of a longer run is removed.
  ///
  /// Comparing, hashing and composing a run of marks takes quadratic time: a title with a megabyte
  /// of them would keep a processor busy for an hour. No language uses ten.
  package var limitingCombiningMarks: String {
    // The first combining mark is U+0300.
    guard utf8.contains(where: { $0 >= 0xCC }) else { return self }
    var run = 0
    var isLimited = false
    let kept = unicodeScalars.filter { scalar in
      let isMark =
        scalar.value >= 0x300 && scalar.properties.canonicalCombiningClass != .notReordered
      run = isMark ? run + 1 : 0
      if run > 30 { isLimited = true }
      return run <= 30
    }
    return isLimited ? String(kept) : self
  }
}

/// What a terminal is asked at the beginning, in one write. Nothing waits for the answers: each is
/// used when it comes.
package enum TerminalQuestions {
  /// The number of an image that is asked about and never sent.
  static let imageNumber = 31

  /// The questions. Every terminal answers the last one (DA1), after those before it that it knows.
  ///
  /// - Parameters:
  ///   - images: whether images may be shown; otherwise only synchronized output matters.
  ///   - colors: whether there are colors, which depend on the background.
  package static func text(images: Bool, colors: Bool) -> String {
    let aboutImages =
      // The version, kitty's graphics, the pixels of a cell, the colors of sixels.
      "\u{1B}[>q" + "\u{1B}_Gi=\(imageNumber),s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\"
      + "\u{1B}[16t" + "\u{1B}[?1;1;0S"
    return (colors ? "\u{1B}]11;?\u{1B}\\" : "") + (images ? aboutImages : "") + "\u{1B}[?2026$p"
      + "\u{1B}[c"
  }
}

public import LoopbackServer

extension Behaviour {
  /// How it differs from a correct server, in a few words in brackets; empty if it does not. A failing
  /// seed's behaviours are printed with it.
  public var oddities: String {
    let good = Behaviour()
    var words: [String] = []
    if let answer = answer { words.append("\(answer.status)") }
    if let cut = cut { words.append("\(cut) \(cutPoint)") }
    if ignoresRange { words.append("no range") }
    if ignoresIfRange { words.append("no if-range") }
    if framing != good.framing { words.append("\(framing)") }
    if validators != good.validators { words.append("\(validators)") }
    if contentRange != good.contentRange { words.append("\(contentRange)") }
    if rangeShift != 0 { words.append("shift \(rangeShift)") }
    if let limit = rangeLimit { words.append("limit \(limit)") }
    if let length = contentLength { words.append("length \(length)") }
    return words.isEmpty ? "" : " (\(words.joined(separator: ", ")))"
  }
}

@testable import PodcastTransfer

/// Coded bodies, in pieces of any size.
enum CodingsFuzzing {
  private static let codings = ["gzip", "deflate", "gzip, gzip", "deflate, gzip", "br", "x-gzip"]
  /// A small body may decode to gigabytes; its receiver refuses them.
  private static let limit = 1 << 20

  static func run(_ input: inout FuzzInput) throws {
    let coding = codings[input.choice(codings.count)]
    let size = 1 + input.choice(40)
    let body = input.remaining()
    let whole = decode(body, coding, pieces: max(1, body.count))
    let pieces = decode(body, coding, pieces: size)
    let stopped = decode(body, coding, pieces: size, stops: true)
    try FuzzFailure.require(
      stopped.outcome == pieces.outcome && stopped.bytes == pieces.bytes,
      "Stopping between blocks changes \(pieces.outcome) to \(stopped.outcome).")
    try FuzzFailure.require(
      whole.outcome == pieces.outcome, "\(whole.outcome) at once, and \(pieces.outcome) in pieces.")
    try FuzzFailure.require(
      whole.bytes.count <= limit + 64 * 1024, "\(whole.bytes.count) bytes were delivered.")
    guard whole.outcome == "taken" else { return }
    try FuzzFailure.require(whole.bytes == pieces.bytes, "The bytes differ in pieces.")
    try FuzzFailure.require(whole.isAtEnd == pieces.isAtEnd, "The end differs in pieces.")
  }

  private static func decode(
    _ body: [UInt8], _ coding: String, pieces: Int, stops: Bool = false
  ) -> (outcome: String, bytes: [UInt8], isAtEnd: Bool) {
    let head = ResponseHead(status: 200, fields: [HTTPField("Content-Encoding", coding)])
    guard let decoder = BodyDecoder(head, acceptsCodings: true) else { return ("none", [], true) }
    var decoded: [UInt8] = []
    for start in stride(from: 0, to: body.count, by: pieces) {
      let piece = Array(body[start..<min(start + pieces, body.count)])
      var consumed = 0
      while true {
        let outcome = piece[consumed...].withUnsafeBytes {
          decoder.decode($0, while: { !stops }) {
            guard decoded.count < limit else { return false }
            decoded += $0
            return true
          }
        }
        switch outcome {
        case .taken: break
        case .stopped(let count):
          consumed += count
          continue
        case .refused: return ("refused", decoded, false)
        case .invalid: return ("invalid", decoded, false)
        }
        break
      }
    }
    return ("taken", decoded, decoder.isAtEnd)
  }
}

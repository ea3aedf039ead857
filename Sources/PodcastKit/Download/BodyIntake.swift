import PodcastTransfer

/// What the transport's thread has received of a body, and what of it waits on the lane of the part
/// file. It never touches the disk.
struct BodyIntake: Sendable {
  /// A block, and how much of it is filled.
  typealias Piece = (block: Block, count: Int)

  /// How often progress is reported at most.
  private static let progressInterval = Duration.milliseconds(100)

  /// Whether the body is used.
  var isOpen = false
  /// Whether the first bytes were those of an episode: then progress is reported.
  var isEpisode = false
  /// Receives the events.
  var send: (@Sendable (DownloadEvent.Kind) -> Void)?
  /// How many blocks are on the lane.
  var queued = 0
  /// Whether the transfer waits until there are fewer.
  var isFull = false
  private var block: Block?
  private var fill = 0
  /// Whether the first of these bytes were there at the last call of ``takeOldPiece()``.
  private var isWaiting = false
  /// How many more bytes the body may have, if that is known.
  private var room: Int64?
  /// The offset in the file of the next byte, and the length of the file, if known.
  private var position: Int64 = 0
  private var total: Int64?
  private var lastProgress: ContinuousClock.Instant?

  /// Begins to use a body that starts at an offset of the file.
  mutating func begin(at position: Int64, end: Int64?, total: Int64?) {
    isOpen = true
    room = end.map { max(0, $0 - position) }
    (self.position, self.total) = (position, total)
  }

  /// Adds bytes.
  ///
  /// - Returns: the blocks that are full, and the last one as soon as the end is reached.
  mutating func add(_ bytes: UnsafeRawBufferPointer, from blocks: BlockPool) -> [Piece] {
    var (bytes, full) = (bytes, [Piece]())
    if let room { self.room = max(0, room - Int64(bytes.count)) }
    let (position, overflows) = position.addingReportingOverflow(Int64(bytes.count))
    self.position = overflows ? .max : position
    while let start = bytes.baseAddress, !bytes.isEmpty {
      let block = block ?? blocks.take()
      self.block = block
      let count = min(bytes.count, Block.size - fill)
      block.base.advanced(by: fill).copyMemory(from: start, byteCount: count)
      fill += count
      bytes = UnsafeRawBufferPointer(rebasing: bytes[count...])
      if fill == Block.size || (bytes.isEmpty && room == 0), let piece = takePiece() {
        full.append(piece)
      }
    }
    return full
  }

  /// Takes the block that is being filled, for the lane.
  mutating func takePiece() -> Piece? {
    isWaiting = false
    guard let block, fill > 0 else { return nil }
    defer { (self.block, fill) = (nil, 0) }
    queued += 1
    return (block, fill)
  }

  /// Takes the block that is being filled if some of it was there at the last call: on a fast network
  /// a block is full before, and only whole ones are written.
  mutating func takeOldPiece() -> Piece? {
    if isWaiting { return takePiece() }
    isWaiting = fill > 0
    return nil
  }

  /// How much was received, if it is time to report that.
  ///
  /// - Parameter limit: the longest body without a length that is accepted.
  mutating func progress(
    at now: ContinuousClock.Instant, limit: Int64?
  ) -> DownloadEvent.Kind? {
    if let lastProgress, now - lastProgress < Self.progressInterval { return nil }
    guard isEpisode else { return nil }
    lastProgress = now
    return .progress(received: min(position, total ?? limit ?? .max), total: total)
  }
}

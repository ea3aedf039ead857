extension ArtworkCache {
  /// How many artworks of a stream are asked for at once: more than are fetched, so that those of
  /// other hosts, and those on the disk, need not wait for a slow host.
  private static let requestedAtOnce = 24

  /// Delivers artworks as they arrive, and ends after the last one.
  ///
  /// Each request has one arrival, in the order in which they happen. Ending the iteration, or
  /// cancelling its task, cancels the requests that nobody else waits for. To go on with a changed
  /// list, begin the new stream before the old one ends: what both want is then not asked again.
  /// Arrivals are buffered without a limit, so their consumer should be fast.
  package nonisolated func stream<Key: Sendable>(
    of requests: AsyncStream<ArtworkRequest<Key>>
  ) -> AsyncStream<ArtworkArrival<Key>> {
    stream(inTurn: [requests])
  }

  /// The same for a list. Those of `visible` come first: the others wait until all of these have
  /// arrived.
  ///
  /// - Parameter visible: the places in the list that are on the screen.
  package nonisolated func stream<Key: Sendable>(
    of list: [ArtworkRequest<Key>], visible: Range<Int> = 0..<0
  ) -> AsyncStream<ArtworkArrival<Key>> {
    let visible = visible.clamped(to: list.indices)
    let others = list[..<visible.lowerBound] + list[visible.upperBound...]
    return stream(inTurn: [list[visible], others].map(Self.stream))
  }

  private nonisolated func stream<Key: Sendable>(
    inTurn lists: [AsyncStream<ArtworkRequest<Key>>]
  ) -> AsyncStream<ArtworkArrival<Key>> {
    let (arrivals, output) = AsyncStream.makeStream(of: ArtworkArrival<Key>.self)
    let task = Task {
      for list in lists { await deliver(list, to: output) }
      output.finish()
    }
    output.onTermination = { _ in task.cancel() }
    return arrivals
  }

  private nonisolated func deliver<Key: Sendable>(
    _ requests: AsyncStream<ArtworkRequest<Key>>,
    to output: AsyncStream<ArtworkArrival<Key>>.Continuation
  ) async {
    await withTaskGroup(of: Void.self) { group in
      var count = 0
      for await request in requests {
        if count >= Self.requestedAtOnce { await group.next() } else { count += 1 }
        group.addTask {
          let result = await self.result(for: request.address, request.userAgent)
          // Whoever cancels wants no errors about it.
          guard !Task.isCancelled else { return }
          output.yield(
            ArtworkArrival(key: request.key, address: request.address, result: result))
        }
      }
    }
  }

  private static func stream<Element: Sendable>(
    _ elements: some Sequence<Element>
  ) -> AsyncStream<Element> {
    let (stream, input) = AsyncStream.makeStream(of: Element.self)
    for element in elements { input.yield(element) }
    input.finish()
    return stream
  }
}

package import FoundationEssentials

/// When feeds are due: a queue by time, which needs no look at the feeds that are not.
///
/// Each feed has one time at most. Feeds of one time come in the order in which they were added.
package struct FeedTimetable: Sendable {
  private struct Entry: Sendable {
    var time: Date
    var number: Int
    var feed: String

    func isBefore(_ other: Entry) -> Bool { (time, number) < (other.time, other.number) }
  }

  /// A heap: no entry is before its parent, which is at half its place. Entries that another time has
  /// replaced are left out when they come to the front.
  private var heap: [Entry] = []
  /// The numbers of the entries that count.
  private var numbers: [String: Int] = [:]
  private var last = 0

  /// No feed has a time.
  package init() {}

  /// The time of the feed that is due first; nil if none has a time.
  package var next: Date? {
    mutating get {
      dropReplaced()
      return heap.first?.time
    }
  }

  /// Gives a feed a time, in place of an earlier one; nil for none.
  package mutating func set(_ feed: String, _ time: Date?) {
    guard let time else {
      numbers[feed] = nil
      return
    }
    last += 1
    numbers[feed] = last
    append(Entry(time: time, number: last, feed: feed))
    // Each time that replaces another one leaves an entry behind.
    if heap.count > 2 * numbers.count + 64 {
      let counting = heap.filter { numbers[$0.feed] == $0.number }
      heap = []
      for entry in counting { append(entry) }
    }
  }

  /// Takes the feeds that are due; they have no time any more.
  package mutating func takeDue(at now: Date) -> [String] {
    var due: [String] = []
    while let next, next <= now {
      let entry = removeFirst()
      numbers[entry.feed] = nil
      due.append(entry.feed)
    }
    return due
  }

  private mutating func dropReplaced() {
    while let first = heap.first, numbers[first.feed] != first.number { _ = removeFirst() }
  }

  private mutating func append(_ entry: Entry) {
    heap.append(entry)
    var place = heap.count - 1
    while place > 0, heap[place].isBefore(heap[(place - 1) / 2]) {
      heap.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  /// Removes the first entry; there must be one.
  private mutating func removeFirst() -> Entry {
    heap.swapAt(0, heap.count - 1)
    let first = heap.removeLast()
    var place = 0
    while true {
      var least = place
      for child in [2 * place + 1, 2 * place + 2]
      where child < heap.count && heap[child].isBefore(heap[least]) { least = child }
      if least == place { return first }
      heap.swapAt(place, least)
      place = least
    }
  }
}

/// A row of a list that keeps its selection on its item.
package protocol BrowseRow: Sendable, Hashable {
  /// What stays the same when the rows change.
  var key: String { get }
  /// What a filter searches, without case.
  var searchText: String { get }

  /// The positions of all rows in the usual order.
  static func usualOrder(_ rows: [Self]) -> [Int]

  /// The positions of all rows in an order; equal ones are as in the usual order.
  ///
  /// - Parameters:
  ///   - rows: all rows.
  ///   - sort: what they are sorted by.
  ///   - usual: their usual order.
  ///   - texts: what a filter searches in them.
  static func order(
    _ rows: [Self], by sort: RowArrangement.Sort, usual: [Int], texts: SearchTexts
  ) -> [Int]

  /// The lines of a list.
  ///
  /// - Parameters:
  ///   - rows: all rows.
  ///   - places: the positions of those that a filter leaves, in their order.
  ///   - arrangement: how they are sorted and grouped.
  static func lines(
    _ rows: [Self], _ places: [Int], _ arrangement: RowArrangement
  ) -> [RowLine]

  /// Whether a row is of a kind that a filter names as `is:kind`.
  func isOf(_ kind: String) -> Bool

  /// Whether a change of a row may change its place.
  static func isMoved(_ before: Self, _ after: Self, _ arrangement: RowArrangement) -> Bool
}

/// A line of a list.
package enum RowLine: Sendable, Hashable {
  /// The name of a group; it cannot be selected.
  case heading(String)
  /// The row at a position.
  case row(Int)
}

/// How rows are sorted and grouped.
package struct RowArrangement: Sendable, Hashable {
  /// What rows are sorted by.
  package enum Sort: String, Sendable, Hashable, CaseIterable {
    case newest, oldest, title, duration, size, podcast
  }

  /// What rows are grouped by.
  package enum Group: String, Sendable, Hashable, CaseIterable {
    case none, podcast, day, week, month, year, state, favorite, played

    /// Whether its groups are times.
    var isOfTime: Bool {
      switch self {
      case .day, .week, .month, .year: true
      case .none, .podcast, .state, .favorite, .played: false
      }
    }
  }

  /// What rows are sorted by.
  package var sort = Sort.newest
  /// What rows are grouped by.
  package var group = Group.none

  /// The newest first, without groups.
  package init() {}
}

extension CaseIterable where Self: Equatable, AllCases.Index == Int {
  /// The next value; the first one follows the last.
  var next: Self { value(after: 1) }

  /// The value before; the last one is before the first.
  var previous: Self { value(after: Self.allCases.count - 1) }

  private func value(after distance: Int) -> Self {
    let all = Self.allCases
    return all[((all.firstIndex(of: self) ?? 0) + distance) % all.count]
  }
}

/// Names of months and weekdays in the languages in which feeds were seen to have them.
enum FeedMonths {
  /// The number of a month, 1 to 12, from its name in lower case: English, French, German, Italian,
  /// Portuguese or Spanish, cut to three letters or more.
  static func number(_ name: String) -> Int? { months[name] ?? months[String(name.prefix(3))] }

  /// The number of an English weekday, 0 for Monday.
  static func weekday(_ name: String) -> Int? {
    guard name.utf8.count >= 3 else { return nil }
    return weekdays.firstIndex { name.hasPrefix($0) }
  }

  private static let weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

  private static let months: [String: Int] = {
    let names = [
      "jan ene gen", "feb fev fév fevr févr", "mar mär mrz mars", "apr abr avr avril",
      "may mai mag", "jun giu juin", "jul lug juil juillet", "aug ago août aou", "sep set",
      "oct okt ott out",
      "nov", "dec dez dic déc",
    ]
    var months: [String: Int] = [:]
    for (index, group) in names.enumerated() {
      for name in group.split(separator: " ") { months[String(name)] = index + 1 }
    }
    return months
  }()
}

/// Names of time zones.
enum FeedZones {
  /// Seconds east of UTC from a name in lower case; nil for an unknown name.
  ///
  /// Those of RFC 822, section 5.1, without the military letters but `z`, which everybody had wrong
  /// (RFC 2822, section 4.3), and others that are in use and mean one zone.
  static func seconds(_ name: String) -> Int? { zones[name].map { $0 * 1800 } }

  /// In half hours.
  private static let zones: [String: Int] = [
    "z": 0, "ut": 0, "utc": 0, "gmt": 0, "wet": 0,
    "est": -10, "edt": -8, "cst": -12, "cdt": -10, "mst": -14, "mdt": -12, "pst": -16, "pdt": -14,
    "akst": -18, "akdt": -16, "hst": -20, "ast": -8, "adt": -6, "nst": -7, "ndt": -5, "brt": -6,
    "bst": 2, "west": 2, "cet": 2, "met": 2, "mez": 2, "cest": 4, "mest": 4, "mesz": 4, "eet": 4,
    "sast": 4, "eest": 6, "msk": 6, "hkt": 16, "awst": 16, "jst": 18, "kst": 18, "acst": 19,
    "aest": 20, "acdt": 21, "aedt": 22, "nzst": 24, "nzdt": 26,
  ]
}

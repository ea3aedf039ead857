internal import PodcastModel

/// The character sets in which feeds are published besides UTF-8, by the labels of the WHATWG Encoding
/// Standard (section 4.2).
///
/// Only these are converted: the C library knows hundreds more, and nobody publishes in them.
enum CharacterSetName {
  /// What a label means.
  enum Meaning: Equatable {
    /// UTF-8, or a subset of it.
    case utf8
    /// A character set that is converted, by the name that iconv has for it.
    case converted(String)
  }

  /// The meaning of a label in any case, with white space around it; nil for an unknown one.
  static func meaning(of label: some StringProtocol) -> Meaning? {
    let name = label.trimmingWhitespace().lowercased()
    switch name {
    case "utf-8", "utf8", "unicode-1-1-utf-8": return .utf8
    case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "l1", "windows-1252", "cp1252",
      "us-ascii", "ascii", "iso-8859-1:1987", "ibm819", "cp819":
      // On the web, iso-8859-1 means the same.
      return .converted("CP1252")
    default: return converted[name].map { .converted($0) }
    }
  }

  /// Whether text in this character set is all ASCII bytes, so that it looks like UTF-8.
  static func isSevenBit(_ name: String) -> Bool { name == "ISO-2022-JP" }

  private static let converted: [String: String] = {
    var names: [String: String] = [
      "shift_jis": "CP932", "shift-jis": "CP932", "sjis": "CP932", "x-sjis": "CP932",
      "windows-31j": "CP932", "ms_kanji": "CP932", "euc-jp": "EUC-JP", "x-euc-jp": "EUC-JP",
      "iso-2022-jp": "ISO-2022-JP", "euc-kr": "CP949", "ks_c_5601-1987": "CP949",
      "ksc5601": "CP949", "windows-949": "CP949", "gb2312": "GB18030", "gbk": "GB18030",
      "gb18030": "GB18030", "x-gbk": "GB18030", "gb_2312-80": "GB18030", "big5": "BIG5-HKSCS",
      "big5-hkscs": "BIG5-HKSCS", "cn-big5": "BIG5-HKSCS", "koi8-r": "KOI8-R",
      "koi8": "KOI8-R", "koi8-u": "KOI8-U", "ibm866": "CP866", "cp866": "CP866",
      "macintosh": "MACINTOSH", "x-mac-roman": "MACINTOSH", "windows-874": "CP874",
      "tis-620": "CP874", "iso-8859-9": "CP1254", "latin5": "CP1254", "iso-8859-11": "CP874",
    ]
    for number in [2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16] {
      for spelling in ["iso-8859-", "iso8859-", "iso_8859-"] {
        names["\(spelling)\(number)"] = "ISO-8859-\(number)"
      }
    }
    for number in [1250, 1251, 1253, 1254, 1255, 1256, 1257, 1258] {
      names["windows-\(number)"] = "CP\(number)"
      names["cp\(number)"] = "CP\(number)"
      names["x-cp\(number)"] = "CP\(number)"
    }
    return names
  }()
}

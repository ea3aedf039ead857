internal import CFiles
import FoundationEssentials
import Glibc
package import PodcastModel

/// The logins of `~/.netrc`, in the form that libcurl reads.
///
/// podget reads the file itself, because libcurl sends the `default` entry to any host and knows no
/// ports.
package struct NetrcFile: Sendable, Hashable {
  /// A user name and password, as bytes: they need not be UTF-8.
  package struct Login: Sendable, Hashable {
    package var user: [UInt8]
    package var password: [UInt8]
  }

  private struct Entry: Hashable {
    /// The name after `machine`, in lower case; nil for `default`.
    var machine: [UInt8]?
    var user: [UInt8]?
    var password: [UInt8]?
  }

  /// What the next word means.
  private enum Expected { case keyword, machine, user, password, nothing }

  private var entries: [Entry] = []

  /// A longer file is ignored.
  package static let longestFile: Int64 = 1 << 20

  /// Reads the content of a file; what follows a string without its end is ignored.
  package init(_ bytes: [UInt8]) {
    var expected = Expected.keyword
    var isMacro = false
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      // A macro ends at an empty line.
      if isMacro {
        isMacro = !(line.isEmpty || line.first == UInt8(ascii: "\r"))
        continue
      }
      let (words, isWhole) = Self.words(line)
      for word in words where !isMacro { take(word, &expected, &isMacro) }
      guard isWhole else { return }
    }
  }

  /// Reads a file of the user; nil without one that can be read.
  package static func read(_ path: String) -> NetrcFile? {
    // A pipe with that name must not make anyone wait.
    guard let file = try? OpenFile.open(path, flags: O_RDONLY | O_NONBLOCK),
      file.status?.is_regular == true, let data = try? file.readAll(path, limit: longestFile)
    else { return nil }
    return NetrcFile([UInt8](data))
  }

  /// The path of the file in the user's home.
  package static var userPath: String? {
    if let home = getenv("HOME"), home.pointee != 0 { return String(cString: home) + "/.netrc" }
    var (entry, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
    var buffer = [CChar](repeating: 0, count: 16 * 1024)
    guard getpwuid_r(geteuid(), &entry, &buffer, buffer.count, &found) == 0, found != nil,
      let home = entry.pw_dir
    else { return nil }
    return String(cString: home) + "/.netrc"
  }

  /// The login for a request; nil if there is none.
  ///
  /// An entry whose name has the request's port comes before one without a port, which is for every
  /// port of the host.
  ///
  /// - Parameters:
  ///   - address: the address of the request. If it has a user name, the password of that user is
  ///     wanted; if it has a password, nothing is.
  ///   - allowsDefault: whether the `default` entry may be used.
  package func login(for address: WebAddress, allowsDefault: Bool) -> Login? {
    var wanted: [UInt8]?
    if let userinfo = address.userinfo, !userinfo.isEmpty {
      guard !userinfo.utf8.contains(UInt8(ascii: ":")) else { return nil }
      wanted = Array(PercentEncoding.decoded(userinfo).utf8)
    }
    let port = address.port.isEmpty ? (address.scheme == "https" ? "443" : "80") : address.port
    let host = address.host
    var names = ["\(host):\(port)", host]
    if host.utf8.first == UInt8(ascii: "[") { names.append(String(host.dropFirst().dropLast())) }
    for name in names.map({ Array($0.utf8) }) {
      if let login = login(of: name, user: wanted) { return login }
    }
    return allowsDefault ? login(of: nil, user: wanted) : nil
  }

  private func login(of machine: [UInt8]?, user wanted: [UInt8]?) -> Login? {
    for entry in entries where entry.machine == machine {
      guard let user = entry.user, !user.isEmpty, wanted == nil || wanted == user else { continue }
      return Login(user: user, password: entry.password ?? [])
    }
    return nil
  }

  private mutating func take(_ word: [UInt8], _ expected: inout Expected, _ isMacro: inout Bool) {
    let last = entries.indices.last
    switch expected {
    case .machine: entries.append(Entry(machine: Self.lowercased(word)))
    case .user:
      if let last, entries[last].user == nil { entries[last].user = word }
    case .password:
      if let last, entries[last].password == nil { entries[last].password = word }
    case .nothing: break
    case .keyword:
      switch String(decoding: Self.lowercased(word), as: UTF8.self) {
      case "machine": expected = .machine
      case "login": expected = .user
      case "password": expected = .password
      case "account": expected = .nothing
      case "default": entries.append(Entry())
      case "macdef": isMacro = true
      default: break
      }
      return
    }
    expected = .keyword
  }

  /// The words of a line up to a comment; `isWhole` is false if a string has no end.
  private static func words(_ line: ArraySlice<UInt8>) -> (words: [[UInt8]], isWhole: Bool) {
    var (words, rest): ([[UInt8]], ArraySlice<UInt8>) = ([], line)
    while true {
      rest = rest.drop(while: isBlank)
      guard let first = rest.first, first != UInt8(ascii: "#") else { return (words, true) }
      guard first == UInt8(ascii: "\"") else {
        let word = rest.prefix { !isBlank($0) }
        words.append(Array(word))
        rest = rest[word.endIndex...]
        continue
      }
      rest = rest.dropFirst()
      guard let word = string(&rest) else { return (words, false) }
      words.append(word)
    }
  }

  /// The rest of a string after its first quotation mark; nil without the last one.
  private static func string(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
    var word: [UInt8] = []
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return word
      case UInt8(ascii: "\\"):
        guard let escaped = rest.popFirst() else { return nil }
        switch escaped {
        case UInt8(ascii: "n"): word.append(UInt8(ascii: "\n"))
        case UInt8(ascii: "r"): word.append(UInt8(ascii: "\r"))
        case UInt8(ascii: "t"): word.append(UInt8(ascii: "\t"))
        default: word.append(escaped)
        }
      default: word.append(byte)
      }
    }
    return nil
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    [0x20, 0x09, 0x0D, 0x0B, 0x0C, 0].contains(byte)
  }

  private static func lowercased(_ bytes: [UInt8]) -> [UInt8] {
    bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
  }
}

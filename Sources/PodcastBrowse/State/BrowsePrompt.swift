import BrowseScreen

/// Texts that are typed: what is searched, and the filter of a list.
extension BrowseModel {
  /// A key while a text is typed.
  mutating func type(_ key: Key) -> [BrowseEffect] {
    guard var prompt else { return [] }
    if prompt.purpose == .link { return chooseLink(key, prompt) }
    switch key {
    case .character(let character): prompt.text.append(character)
    case .paste(let text): prompt.text += text
    case .backspace: prompt.text = String(prompt.text.dropLast())
    case .control("u"): prompt.text = ""
    case .escape:
      self.prompt = nil
      if prompt.purpose == .filter { setFilter("") }
      if prompt.purpose == .page { searchPage("") }
      return []
    case .up, .down, .pageUp, .pageDown:
      let page = prompt.purpose == .page ? textHeight : listHeight
      let distance = key == .up ? -1 : key == .down ? 1 : key == .pageUp ? -page : page
      if prompt.purpose == .filter { move(by: distance) }
      if prompt.purpose == .page { scrollPage(by: distance) }
      return []
    case .enter:
      self.prompt = nil
      let term = prompt.text.split(separator: " ").joined(separator: " ")
      if prompt.purpose == .setting { return change(to: prompt.text) }
      if prompt.purpose == .words { return term.isEmpty ? [] : findWords(term) }
      guard prompt.purpose == .search, !term.isEmpty else { return [] }
      tab = .catalog
      // A feed that the catalog may not have.
      if let address = Self.address(term) {
        open(OpenPodcast(source: address, title: "", author: "", isFollowed: false))
        return [.loadPodcast(address)]
      }
      podcast = nil
      searched = term
      found = RowList()
      foundLoading = .waiting
      return [.search(term)]
    default: break
    }
    // Settings and addresses may be long.
    let isLong = prompt.purpose == .setting || prompt.purpose == .search
    let longest = isLong ? Self.longestSetting : Self.longestPrompt
    prompt.text = String(prompt.text.prefix(longest))
    self.prompt = prompt
    if prompt.purpose == .filter { setFilter(prompt.text) }
    if prompt.purpose == .page { searchPage(prompt.text) }
    return []
  }

  /// The address that a person has typed, also without its beginning: `example.com/feed`; nil for words.
  private static func address(_ text: String) -> String? {
    if text.contains("://") || text.lowercased().hasPrefix("feed:") { return text }
    guard !text.contains(" "), let slash = text.firstIndex(of: "/") else { return nil }
    let host = text[..<slash].split(separator: ":", maxSplits: 1)
    let labels = host.first?.split(separator: ".", omittingEmptySubsequences: false) ?? []
    // A band and a number have dots and slashes too: `AC.DC/live`, `1.5/2`.
    let isHost =
      labels.count > 1 && labels.last?.allSatisfy(\.isLetter) == true
      && labels.allSatisfy { label in
        !label.isEmpty
          && label.allSatisfy { $0.isNumber || $0 == "-" || $0.isLetter && !$0.isUppercase }
      }
      && host.dropFirst().allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isNumber) }
    return isHost ? "https://\(text)" : nil
  }
}

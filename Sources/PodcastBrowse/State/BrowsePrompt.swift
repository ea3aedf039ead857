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
      if prompt.purpose == .help { searchHelp("") }
      return []
    case .up, .down, .pageUp, .pageDown:
      if prompt.purpose == .filter {
        move(by: key == .up ? -1 : key == .down ? 1 : key == .pageUp ? -listHeight : listHeight)
      }
    case .enter:
      self.prompt = nil
      let term = prompt.text.split(separator: " ").joined(separator: " ")
      if prompt.purpose == .setting { return change(to: prompt.text) }
      guard prompt.purpose == .search, !term.isEmpty else { return [] }
      // A feed that the catalog may not have.
      if term.contains("://") {
        open(OpenPodcast(source: term, title: "", author: "", isFollowed: false))
        return [.loadPodcast(term)]
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
    if prompt.purpose == .help { searchHelp(prompt.text) }
    return []
  }
}

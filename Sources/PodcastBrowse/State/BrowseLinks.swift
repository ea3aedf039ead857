import BrowseScreen

/// The links of show notes, by their numbers.
extension BrowseModel {
  /// The link whose number is typed.
  package var typedLink: String? {
    guard case .details(let details)? = overlay, prompt?.purpose == .link,
      let number = prompt.flatMap({ Int($0.text) }), details.links.indices.contains(number - 1)
    else { return nil }
    return details.links[number - 1]
  }

  /// Begins the number of a link; nil if the key does not.
  mutating func beginLink(_ key: Key) -> [BrowseEffect]? {
    guard case .details(let details)? = overlay, !details.links.isEmpty,
      case .character(let digit) = key, digit.isASCII, ("1"..."9").contains(digit)
    else { return nil }
    prompt = Prompt(purpose: .link, text: String(digit))
    return []
  }

  /// A key while the number of a link is typed.
  mutating func chooseLink(_ key: Key, _ prompt: Prompt) -> [BrowseEffect] {
    let link = typedLink
    self.prompt = nil
    switch key {
    case .character(let digit) where digit.isASCII && digit.isNumber:
      self.prompt = Prompt(purpose: .link, text: String((prompt.text + String(digit)).prefix(3)))
    case .backspace:
      let text = String(prompt.text.dropLast())
      self.prompt = text.isEmpty ? nil : Prompt(purpose: .link, text: text)
    case .enter, .character("o"), .character("y"):
      guard let link else {
        message = "There is no link with this number."
        return []
      }
      if key == .character("y") {
        message = "The terminal is asked to copy the address."
        return [.copy(link)]
      }
      return [.open(link)]
    case .escape, .character("q"): break
    default: return press(key)
    }
    return []
  }
}

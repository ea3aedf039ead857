/// A key, or what comes instead of keys.
package enum Key: Sendable, Hashable {
  /// A key with a character, as typed.
  case character(Character)
  /// A letter together with the control key, in lower case.
  case control(Character)
  /// Text that was pasted, without control characters.
  case paste(String)
  /// A click, or a step of the wheel.
  case mouse(MouseEvent)
  case enter, escape, backspace, delete, tab, backTab
  case up, down, left, right, pageUp, pageDown, home, end
}

import BrowseScreen
import PodcastModel

/// A setting of a podcast that is followed.
package struct PodcastSetting: Sendable, Hashable {
  /// Its name, as options and the configuration have it.
  package let name: String
  /// What it is set to; nil if it is not.
  package let text: String?
  /// What holds if it is not set, such as `5`; empty for nothing.
  package let standard: String
  /// What it is for.
  package let help: String
  /// The words that it takes if these are all; one key goes through them.
  package let choices: [String]
  /// Whether it can be changed here.
  package let isOpen: Bool

  /// Creates a setting; the texts are made safe where they are drawn.
  package init(
    _ name: String, text: String?, standard: String = "", help: String = "",
    choices: [String] = [], isOpen: Bool = true
  ) {
    self.name = name
    self.text = text
    self.standard = standard
    self.help = help
    self.choices = choices
    self.isOpen = isOpen
  }
}

/// The settings of a podcast, and what is known of its checks.
package struct PodcastSettings: Sendable, Hashable {
  /// The title of the podcast.
  package var title: String
  /// When its feed was checked and will be, in sentences.
  package var about: String
  /// The settings, in order.
  package var settings: [PodcastSetting]

  /// Creates what is shown.
  package init(title: String, about: String, settings: [PodcastSetting]) {
    self.title = title
    self.about = about
    self.settings = settings
  }
}

/// A change of settings of a podcast.
package struct SettingChange: Sendable, Hashable {
  /// The source that names the podcast.
  package let source: String
  /// What settings are set to, by their names; an empty text unsets one.
  package let texts: [String: String]
  /// What they are before, in the same form. If one is another by now, nothing is changed.
  package let before: [String: String]
  /// Whether it takes a change back.
  package let isUndo: Bool

  /// Creates a change.
  package init(
    of source: String, to texts: [String: String], from before: [String: String],
    isUndo: Bool = false
  ) {
    self.source = source
    self.texts = texts
    self.before = before
    self.isUndo = isUndo
  }
}

/// The page of the settings of a podcast.
package struct SettingsPage: Sendable, Hashable {
  /// The source that names the podcast.
  let source: String
  /// Its title, safe for a terminal.
  var title: String
  /// What it has; nil while that is being read.
  var settings: PodcastSettings?
  /// What was typed for a setting last, until that has changed: it may have been refused.
  var typed: [String: String] = [:]
  /// The line that is selected: the one about the checks comes first.
  var selection = 0
  /// The first line on the screen.
  var top = 0

  init(of source: String, title: String) {
    self.source = source
    self.title = title
  }

  /// The setting that is selected.
  package var selected: PodcastSetting? {
    guard let all = settings?.settings, all.indices.contains(selection - 1) else { return nil }
    return all[selection - 1]
  }

  /// The page as text.
  var lines: [DetailLine] {
    guard let settings else { return [DetailLine("Reading the settings.")] }
    return [DetailLine(settings.about, label: "checks")]
      + settings.settings.map { setting in
        let standard = setting.standard.isEmpty ? "-" : "- (\(setting.standard))"
        return DetailLine(setting.text ?? standard, label: setting.name)
      }
  }
}

/// Settings of podcasts that are followed.
extension BrowseModel {
  /// The page of settings, if it is shown.
  package var settingsPage: SettingsPage? {
    if case .settings(let page)? = overlay { page } else { nil }
  }

  /// Shows the settings of the podcast that is open or selected.
  mutating func showSettings() -> [BrowseEffect] {
    guard let target else {
      message = "Settings are of a podcast: the tab Catalog has those that you follow."
      return []
    }
    guard target.isFollowed else {
      message = "It is not followed; \(keys.name("S")) subscribes to it."
      return []
    }
    overlay = .settings(SettingsPage(of: target.source, title: target.title))
    return [.loadSettings(target.source)]
  }

  /// Takes the settings of a podcast. At first the first one is selected.
  mutating func take(_ settings: PodcastSettings, of source: String) {
    guard case .settings(var page)? = overlay, page.source == source else { return }
    if page.settings == nil { page.selection = 1 }
    page.settings = settings
    page.title = TerminalText.safe(settings.title)
    overlay = .settings(page)
  }

  /// A key while settings are shown; nil if it does the same as on other pages.
  mutating func pressInSettings(_ key: Key) -> [BrowseEffect]? {
    switch key {
    case .enter, .character(" "), .character("e"), .character("c"):
      guard let setting = openSetting() else { return [] }
      guard !setting.choices.isEmpty else {
        guard setting.text?.count ?? 0 <= Self.longestSetting else {
          message = "It is too long for this page; podget subscribe changes it."
          return []
        }
        let typed = settingsPage?.typed[setting.name]
        prompt = Prompt(purpose: .setting, text: typed ?? setting.text ?? "")
        return []
      }
      let place = setting.text.flatMap { setting.choices.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
      return change(to: place < setting.choices.count ? setting.choices[place] : "")
    case .delete, .character("x"), .character("d"):
      guard openSetting()?.text != nil else { return [] }
      return change(to: "")
    case .character("u"):
      forgetTyped()
      return undo()
    case .character("y"):
      guard let page = settingsPage else { return [] }
      message = "Checking the feed; new episodes are downloaded."
      return [.sync(page.source)]
    default: return nil
    }
  }

  /// Changes the selected setting; an empty text unsets it.
  mutating func change(to text: String) -> [BrowseEffect] {
    guard var page = settingsPage, let setting = page.selected else { return [] }
    let before = setting.text ?? ""
    page.typed = text == before ? [:] : [setting.name: text]
    overlay = .settings(page)
    guard text != before else { return [] }
    return [
      .set(
        SettingChange(
          of: page.source, to: [setting.name: text], from: [setting.name: before]))
    ]
  }

  /// Remembers what takes back a change of settings.
  mutating func remember(_ change: SettingChange) {
    if settingsPage?.source == change.source { forgetTyped() }
    remember(BrowseUndo(change: nil, keys: [change.source], setting: change))
  }

  /// What is to be read again when subscriptions have changed.
  var settingsEffects: [BrowseEffect] {
    settingsPage.map { [.loadSettings($0.source)] } ?? []
  }

  private mutating func forgetTyped() {
    guard var page = settingsPage else { return }
    page.typed = [:]
    overlay = .settings(page)
  }

  private mutating func openSetting() -> PodcastSetting? {
    guard let setting = settingsPage?.selected else { return nil }
    if setting.isOpen { return setting }
    message = "podget subscribe changes this one: it belongs to a login."
    return nil
  }
}

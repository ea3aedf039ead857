import BrowseScreen
import PodcastBrowse
import PodcastModel
import Testing

/// The settings of a podcast on the screen.
struct SettingsPageTests {
  private func settings(latest: String? = nil, paused: String? = nil) -> PodcastSettings {
    PodcastSettings(
      title: "Show", about: "Checked 2026-01-01.",
      settings: [
        PodcastSetting("latest", text: latest, standard: "5", help: "how many"),
        PodcastSetting("paused", text: paused, help: "whether it rests", choices: ["true"]),
        PodcastSetting("user", text: nil, isOpen: false),
      ])
  }

  private func model(followed isFollowed: Bool = true) -> BrowseModel {
    var model = BrowseModel(size: ScreenSize(columns: 60, rows: 12))
    _ = model.reduce(
      .subscriptions([PodcastRow(source: "radio", title: "Show", isFollowed: isFollowed)]))
    return model
  }

  private func press(_ model: inout BrowseModel, _ keys: String) -> [BrowseEffect] {
    keys.flatMap { model.reduce(.key(.character($0))) }
  }

  private func press(_ model: inout BrowseModel, _ key: Key) -> [BrowseEffect] {
    model.reduce(.key(key))
  }

  private func change(
    _ name: String, _ text: String, from before: String = "", isUndo: Bool = false
  ) -> SettingChange {
    SettingChange(of: "radio", to: [name: text], from: [name: before], isUndo: isUndo)
  }

  @Test func `e shows the settings, with what holds without them, and when it was checked`() {
    var model = model()
    #expect(press(&model, "e") == [.loadSettings("radio")])
    _ = model.reduce(.settings("radio", settings(paused: "true")))
    #expect(
      BrowseView.frame(model, BrowseLook(hasColor: true, isUTF8: true)).lines == [
        " Catalog  Library  New  Downloads                    podget",
        " Settings of Show",
        String(repeating: "─", count: 60),
        " checks  Checked 2026-01-01.",
        " latest  - (5)",
        " paused  true",
        "   user  -",
        "", "", "", "",
        " Esc back  Enter change  how many",
      ])
    #expect(model.settingsPage?.selected?.name == "latest")
    // Those of another podcast come too late.
    _ = model.reduce(.settings("other", settings(latest: "9")))
    #expect(model.settingsPage?.selected?.text == nil)
    #expect(press(&model, "q") == [] && model.overlay == nil)
    var other = self.model(followed: false)
    #expect(press(&other, "e") == [] && other.overlay == nil)
    _ = other.reduce(.key(.tab))
    #expect(press(&other, "e") == [] && other.message.contains("Catalog"))
  }

  @Test func `what was typed and refused is there to be mended`() {
    var model = model()
    _ = press(&model, "e")
    _ = model.reduce(.settings("radio", settings(latest: "5")))
    _ = model.reduce(.key(.enter))
    _ = press(&model, "x")
    #expect(press(&model, .enter) == [.set(change("latest", "5x", from: "5"))])
    // The answer is a refusal, and what the library has.
    _ = model.reduce(.error("latest is not changed."))
    _ = model.reduce(.settings("radio", settings(latest: "5")))
    _ = model.reduce(.key(.enter))
    #expect(model.prompt?.text == "5x")
    _ = model.reduce(.key(.backspace))
    _ = press(&model, "0")
    #expect(press(&model, .enter) == [.set(change("latest", "50", from: "5"))])
    // After a change nothing is left of it.
    _ = model.reduce(.settingChanged(change("latest", "5", from: "50", isUndo: true)))
    _ = model.reduce(.settings("radio", settings(latest: "7")))
    _ = model.reduce(.key(.enter))
    #expect(model.prompt?.text == "7")
  }

  @Test func `a text is typed, a word is chosen, and both can be unset`() {
    var model = model()
    _ = press(&model, "e")
    _ = model.reduce(.settings("radio", settings()))
    _ = model.reduce(.key(.enter))
    #expect(model.prompt?.purpose == .setting && model.prompt?.text == "")
    _ = press(&model, "10q")
    _ = model.reduce(.key(.backspace))
    #expect(press(&model, .enter) == [.set(change("latest", "10"))])
    _ = model.reduce(.settings("radio", settings(latest: "10")))
    #expect(model.settingsPage?.selected?.text == "10")
    // Nothing changes: nothing is asked for.
    _ = model.reduce(.key(.enter))
    #expect(press(&model, .enter) == [])
    _ = model.reduce(.key(.enter))
    #expect(press(&model, .escape) == [] && model.settingsPage != nil)
    #expect(press(&model, .delete) == [.set(change("latest", "", from: "10"))])
    _ = press(&model, "j")
    #expect(press(&model, .delete) == [])
    #expect(press(&model, .enter) == [.set(change("paused", "true"))])
    _ = model.reduce(.settings("radio", settings(paused: "true")))
    #expect(press(&model, .enter) == [.set(change("paused", "", from: "true"))])
    _ = press(&model, "j")
    #expect(press(&model, .enter) == [] && model.message.contains("login"))
    _ = press(&model, "kkk")
    #expect(model.settingsPage?.selected == nil && press(&model, .enter) == [])
  }

  @Test func `an undo sets what was before, once, also in the list`() {
    var model = model()
    _ = press(&model, "e")
    _ = model.reduce(.settings("radio", settings()))
    let first = change("latest", "", from: "3", isUndo: true)
    let second = change("latest", "3", from: "4", isUndo: true)
    _ = model.reduce(.settingChanged(first))
    _ = model.reduce(.settingChanged(second))
    #expect(press(&model, "u") == [.set(second)])
    #expect(press(&model, "qu") == [.set(first)])
    #expect(press(&model, "u") == [] && model.message == "There is nothing to undo.")
  }

  @Test func `settings that are shown are read again with the subscriptions`() {
    var model = model()
    let rows = [PodcastRow(source: "radio", title: "Show", isFollowed: true)]
    #expect(model.reduce(.subscriptions(rows)) == [])
    _ = press(&model, "e")
    #expect(model.reduce(.subscriptions(rows)) == [.loadSettings("radio")])
  }

  @Test func `a long text stays whole when it is changed`() {
    let long = String(repeating: "x", count: 3000)
    var model = model()
    _ = press(&model, "e")
    _ = model.reduce(.settings("radio", settings(latest: long)))
    _ = model.reduce(.key(.enter))
    _ = press(&model, "y")
    #expect(press(&model, .enter) == [.set(change("latest", long + "y", from: long))])
    _ = model.reduce(.settings("radio", settings(latest: long + long)))
    #expect(press(&model, .enter) == [] && model.prompt == nil)
    #expect(model.message == "It is too long for this page; podget subscribe changes it.")
  }
}

import ArgumentParser
import FoundationEssentials

/// The options for removed files.
struct TrashOptions: ParsableArguments {
  @OptionGroup var days: TrashDaysOption

  @Flag(help: "Delete immediately, without the trash.")
  var now = false

  func validate() throws {
    if now, days.trashDays != nil {
      throw ValidationError("--now and --trash-days cannot be used together.")
    }
  }

  /// Until when a file that is removed now stays in the trash; nil deletes it immediately.
  func keptUntil(now date: Date, _ settings: SettingSources) throws -> Date? {
    let days = try now ? 0 : settings.value(SettingTable.trashDays, option: days.trashDays)
    return days == 0 ? nil : date + Double(days) * 86_400
  }
}

/// The option for how long removed files are kept.
struct TrashDaysOption: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Keep removed files in the trash for N days; 0 deletes them immediately "
        + "\(SettingTable.trashDays.defaultNote).",
      valueName: "n"))
  var trashDays: Int?

  func validate() throws { try SettingTable.trashDays.require(trashDays) }
}

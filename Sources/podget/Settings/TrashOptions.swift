import ArgumentParser
import FoundationEssentials

/// The options for removed files.
struct TrashOptions: ParsableArguments {
  private static let standardDays = 7

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Keep removed files in the trash for N days; 0 deletes them immediately (default: 7).",
      valueName: "n"))
  var trashDays: Int?

  @Flag(help: "Delete immediately, without the trash.")
  var now = false

  func validate() throws {
    try Self.check(trashDays, "--trash-days")
    if now, trashDays != nil {
      throw ValidationError("--now and --trash-days cannot be used together.")
    }
  }

  /// Until when a file that is removed now stays in the trash, by the options or by
  /// PODGET_TRASH_DAYS; nil deletes it immediately.
  func keptUntil(now date: Date, environment: [String: String]) throws -> Date? {
    let inherited: Int? = try Environment(environment).number("PODGET_TRASH_DAYS")
    try Self.check(inherited, "PODGET_TRASH_DAYS")
    let days = now ? 0 : trashDays ?? inherited ?? Self.standardDays
    return days == 0 ? nil : date + Double(days) * 86_400
  }

  private static func check(_ days: Int?, _ name: String) throws {
    try ValidationError.require((0...36_500).contains(days ?? 0), name, "days from 0 to 36500")
  }
}

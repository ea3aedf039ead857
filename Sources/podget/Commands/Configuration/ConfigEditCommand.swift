import ArgumentParser
import Glibc
import PodcastKit

/// `podget config edit`: the configuration file in an editor.
struct ConfigEditCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Edit the configuration file, and check it afterwards.",
    discussion: """
      The editor is $VISUAL, otherwise $EDITOR, otherwise vi. A file that does \
      not exist is created first, as podget config init does.
      """)

  @ParentCommand var parent: ConfigCommand

  func validate() throws { try parent.requireNoOption() }

  func run(in context: CommandContext) async throws -> Outcome {
    let output = ListingOutput(OutputSettings(), context)
    return try await output.reportingOutcome {
      let path = try NewConfigurationFile.path(context.environment)
      _ = try NewConfigurationFile.write(path)
      let sources = SettingSources(environment: context.environment)
      let editor = sources.text("VISUAL") ?? sources.text("EDITOR") ?? "vi"
      let child = ChildProgram()
      let session = Session(context.signals, stop: { child.cancel() }, endsAtSecondSignal: true)
      context.signals.lendKeyboard(true)
      let status = await session.run {
        await BlockingWork.run { Self.edit(path, with: editor, in: child) }
      }
      context.signals.lendKeyboard(false)
      if let status = session.interruptedWith { return Outcome(interruptedWith: status) }
      try status?.get()
      do throws(ValidationError) {
        _ = try ConfigurationFile(environment: context.environment)
      } catch {
        context.say(error.message)
        return .failure
      }
      return .success
    }
  }

  /// The words that start the editor; the variable may have options and quotes, and more that only a
  /// shell knows.
  private static func command(_ editor: String) -> [String] {
    let words = PasswordCommand.words(editor)
    // Signals reach the editor itself where no shell is between.
    guard !words.isEmpty, !editor.contains(where: "|&;<>()$`\\*?[#~=%\n".contains) else {
      // On Ctrl-C the shell waits for the editor, which may use the key for something else.
      return ["/bin/sh", "-c", "trap : INT QUIT; \(editor) \"$@\"", editor]
    }
    return words
  }

  private static func edit(
    _ path: String, with editor: String, in child: ChildProgram
  ) -> Result<Void, PodgetError> {
    Result { () throws(PodgetError) in
      let status: Int32
      do throws(ProgramStart.Failure) {
        (_, status) = try child.run(command(editor) + [path]) {}
      } catch {
        throw PodgetError(.disk, "The editor \(editor) cannot be run: \(error.explanation).")
      }
      guard status == 0 else { throw PodgetError(.disk, "The editor \(editor) failed.") }
    }
  }
}

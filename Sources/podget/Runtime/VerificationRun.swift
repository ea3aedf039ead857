import PodcastKit

/// One run of `verify`: reads the files, downloads wrong ones again if wanted, and checks those
/// once more.
struct VerificationRun: Sendable {
  let library: Library
  let settings: DownloadSession.Settings
  let context: CommandContext
  let repairs: Bool
  let recordsChecksums: Bool
  let acceptsChanges: Bool
  /// Whether the user named the podcasts of the files.
  let areNamed: Bool
  /// Remembers which files were read; nil if nothing is to be changed.
  var verified: VerifiedFiles?

  /// Creates a verification of an inventory.
  func run(_ inventory: LibraryInventory) async throws -> Outcome {
    let progress = VerificationProgress()
    let display = VerificationDisplay(settings: settings, context: context, progress: progress)
    await display.begin(files: inventory.recorded.count, bytes: inventory.totalBytes)
    let session = Session(
      context.signals, display: display,
      stop: {
        progress.cancel()
        await display.stopChecking()
      })
    let checked = await session.run {
      await check(inventory.recorded, display, progress, holdsBack: repairs)
    }
    verified?.store()
    if let failure = checked.failure { throw failure }
    var broken = checked.broken
    for other in inventory.unreadable + inventory.untracked + inventory.partial {
      await display.show(FileFinding(other))
    }
    await display.suspend()
    var interruptedWith = session.interruptedWith
    if repairs, interruptedWith == nil, !broken.isEmpty {
      (broken, interruptedWith) = await repair(broken, display)
    }
    for finding in broken { await display.write(finding) }
    try await display.finish()
    return Outcome(hasFailed: await display.hasProblems, interruptedWith: interruptedWith)
  }

  /// Reads files, with progress; returns those with problems, and why something could not be
  /// recorded.
  private func check(
    _ files: [RecordedFile], _ display: VerificationDisplay, _ progress: VerificationProgress,
    holdsBack: Bool
  ) async -> (broken: [FileFinding], failure: PodgetError?) {
    var broken: [FileFinding] = []
    var failure: PodgetError?
    let verifier = LibraryVerifier(library: library, progress: progress)
    await verifier.verify(files, jobs: settings.downloads.jobs) { finding in
      var finding = finding
      do throws(PodgetError) {
        if recordsChecksums, finding.status == .ok || finding.status == .warning,
          try verifier.record(finding), finding.onlyLacksChecksum
        {
          (finding.status, finding.problem) = (.ok, nil)
        }
        if acceptsChanges { try accept(&finding, verifier) }
      } catch {
        failure = failure ?? error
      }
      verified?.note(
        finding.path, hasProblem: finding.status.isProblem, at: context.now())
      let isHeld = holdsBack && finding.status.isProblem
      if isHeld { broken.append(finding) }
      await display.show(finding, isHeld: isHeld)
    }
    return (broken, failure)
  }

  /// Records a file as it is now, if that is allowed; a dry run says so.
  private func accept(
    _ finding: inout FileFinding, _ verifier: LibraryVerifier
  ) throws(PodgetError) {
    var sentence: String?
    if !finding.mayBeAccepted(isNamed: areNamed && !repairs) {
      // A repair brings back what was downloaded.
      guard finding.isAcceptable, !repairs else { return }
      sentence = "To record it as it is, name its podcast too."
    } else if settings.options.dryRun {
      sentence = "It would be recorded as it is now."
    } else if try verifier.accept(finding) {
      (finding.status, finding.problem, finding.isAccepted) = (.ok, nil, true)
    }
    if let sentence {
      finding.problem = [finding.problem, sentence].compactMap(\.self).joined(separator: " ")
    }
  }
}

extension VerificationRun {
  /// Downloads the files again, and returns their new findings, with the status for a signal in the
  /// meantime.
  private func repair(
    _ broken: [FileFinding], _ display: VerificationDisplay
  ) async -> ([FileFinding], interruptedWith: Int32?) {
    var settings = settings
    if settings.output.json {
      // Standard output has nothing but the array.
      settings.output.json = false
      settings.output.quiet = true
      settings.output.verbosity = 0
    }
    let session = DownloadSession(settings: settings, context: context)
    var outcome = Outcome.success
    let download = { (plans: [DownloadPlan]) async -> Bool in
      outcome = await session.run([], refreshesAddresses: true) { run, _ in
        await run.download(plans)
      }
      return outcome == .success
    }
    if settings.options.dryRun {
      _ = await download(broken.compactMap(\.plan))
      return (broken, outcome.interruptedWith)
    }
    let findings = await FileRepair(library: library).repair(broken, download: download) {
      await display.show(repaired: $0, insteadOf: $1)
    }
    return (findings, outcome.interruptedWith)
  }
}

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
    let verifier = LibraryVerifier(library: library, progress: VerificationProgress())
    let before = broken.map { $0.plan.flatMap(verifier.current) }
    let trash = Set(library.trashedFiles)
    let outcome = await download(broken.compactMap(\.plan))
    let replaced = Dictionary(
      library.trashedFiles.filter { !trash.contains($0) }.map { ($0.key, $0) },
      uniquingKeysWith: { $1 })
    if settings.options.dryRun { return (broken, outcome.interruptedWith) }
    var findings: [FileFinding] = []
    for (old, record) in zip(broken, before) {
      guard let file = old.plan.flatMap(verifier.current) else {
        findings.append(old)
        continue
      }
      var result = old
      await verifier.verify([file], jobs: 1) { result = $0 }
      if !result.status.isProblem {
        result.isRepaired = true
        if let first = record?.sha256, let now = result.sha256, first != now {
          result.status = .warning
          result.problem = "The server has another version now than the one on record."
        }
        if let old = replaced[file.plan.episodeKey] {
          let sentence = "The old file is \(old.path) until \(CivilDay(old.keptUntil))."
          result.problem = [result.problem, sentence].compactMap(\.self).joined(separator: " ")
        }
      } else if outcome == .success, result.status == .truncated, let problem = result.problem {
        result.problem = "\(problem) The server sends it so."
      }
      await display.show(repaired: result, insteadOf: old.status)
      findings.append(result)
    }
    return (findings, outcome.interruptedWith)
  }

  private func download(_ plans: [DownloadPlan]) async -> Outcome {
    var settings = settings
    if settings.output.json {
      // Standard output has nothing but the array.
      settings.output.json = false
      settings.output.quiet = true
      settings.output.verbosity = 0
    }
    return await DownloadSession(settings: settings, context: context).run(
      [], refreshesAddresses: true
    ) { run, _ in await run.download(plans) }
  }
}

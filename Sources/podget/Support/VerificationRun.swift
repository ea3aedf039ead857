import ArgumentParser
import Glibc
import PodcastKit

/// One run of `verify`: reads the files, fetches again what is wrong where that is wanted, and looks
/// at it once more.
struct VerificationRun: Sendable {
  let library: Library
  let settings: DownloadSession.Settings
  let context: CommandContext
  let repairs: Bool
  let recordsChecksums: Bool

  /// Verifies an inventory and ends with the status of the contract.
  func run(_ inventory: LibraryInventory) async throws {
    let progress = VerificationProgress()
    let display = VerificationDisplay(settings: settings, context: context, progress: progress)
    await display.begin(files: inventory.recorded.count, bytes: inventory.totalBytes)
    var broken = try await check(inventory.recorded, display, progress, holdsBack: repairs)
    for other in inventory.unreadable + inventory.foreign + inventory.unfinished {
      await display.show(FileFinding(other))
    }
    await display.rest()
    var status = await display.interruptedWith
    if repairs, status == nil, !broken.isEmpty {
      (broken, status) = try await repair(broken, display)
    }
    for finding in broken { await display.write(finding) }
    try await display.finish()
    if let status { throw ExitCode(status) }
    if await display.hasProblems { throw ExitStatus.failure }
  }

  /// Reads files, with signals and progress; gives those with problems.
  private func check(
    _ files: [RecordedFile], _ display: VerificationDisplay, _ progress: VerificationProgress,
    holdsBack: Bool
  ) async throws -> [FileFinding] {
    var broken: [FileFinding] = []
    var failure: PodgetError?
    let verifier = LibraryVerifier(library: library, progress: progress)
    await withTaskGroup(of: Void.self) { group in
      let signals = Interruption.signals()
      group.addTask { await follow(signals, display, progress) }
      group.addTask {
        while (try? await Task.sleep(for: .milliseconds(100))) != nil { await display.tick() }
      }
      await verifier.verify(files, jobs: settings.downloads.jobs) { finding in
        var finding = finding
        if recordsChecksums, finding.status == .unchecked {
          do throws(PodgetError) {
            if try verifier.record(finding) { finding.status = .ok }
          } catch {
            failure = failure ?? error
          }
        }
        let isHeld = holdsBack && finding.status.isProblem
        if isHeld { broken.append(finding) }
        await display.show(finding, isHeld: isHeld)
      }
      group.cancelAll()
      Interruption.stopListening()
    }
    if let failure { throw failure }
    return broken
  }

  private func follow(
    _ signals: AsyncStream<Interruption.Signal>, _ display: VerificationDisplay,
    _ progress: VerificationProgress
  ) async {
    for await signal in signals {
      if let status = signal.exitStatus {
        progress.cancel()
        await display.interrupt(status: status)
      } else if signal == .stop {
        await display.rest()
        Interruption.stopProcess()
      } else {
        await display.tick()
      }
    }
  }
}

extension VerificationRun {
  /// Fetches the files again, and gives what is to be said of them then, with the status that a
  /// signal asked for meanwhile.
  private func repair(
    _ broken: [FileFinding], _ display: VerificationDisplay
  ) async throws -> ([FileFinding], Int32?) {
    let verifier = LibraryVerifier(library: library, progress: VerificationProgress())
    let before = broken.map { $0.plan.flatMap(verifier.current) }
    let isComplete: Bool
    var status: Int32?
    do {
      try await download(broken.compactMap(\.plan))
      isComplete = true
    } catch let code as ExitCode {
      isComplete = false
      if code != ExitStatus.failure { status = code.rawValue }
    }
    if settings.options.dryRun { return (broken, status) }
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
          result.warning = "The server has another version now than the one on record."
        }
      } else if isComplete, result.status == .truncated, let problem = result.problem {
        result.problem = "\(problem) The server sends it so."
      }
      await display.tell(repaired: result)
      findings.append(result)
    }
    return (findings, status)
  }

  private func download(_ plans: [DownloadPlan]) async throws {
    var settings = settings
    if settings.output.json {
      // The array is all that standard output may carry.
      settings.output.json = false
      settings.output.quiet = true
      settings.output.verbose = false
    }
    try await DownloadSession(settings: settings, context: context).run(
      [], refreshesAddresses: true
    ) { run, _ in await run.download(plans) }
  }
}

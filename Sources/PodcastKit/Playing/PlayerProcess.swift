import Glibc
package import PodcastModel
internal import PodcastSystem
import Synchronization

/// A player that plays one file. mpv is controlled at a socket in a folder that nobody else can enter.
package final class PlayerProcess: Sendable {
  /// The time between two looks for the socket, while mpv may still open it and after that, in milliseconds.
  private static let pause: Int32 = 20
  private static let longPause: Int32 = 200
  /// The shortest time between two states that are said, in milliseconds.
  private static let rhythm: Int32 = 100
  /// How much it may say in a second, in bytes; no player says more. Each line counts as more than it has,
  /// because it takes time to read.
  private static let (mostBytes, lineCost) = (1 << 20, 256)

  private let command: PlayerCommand
  private let child = ChildProgram(place: .unseen)
  private let folder: PlayerFolder?
  private let tie: PlayerTie?
  private let patience: Duration
  /// The connection with mpv; negative for none.
  private let connection = Mutex(Int32(-1))

  /// Creates a player that was not started yet.
  ///
  /// - Parameters:
  ///   - command: the program.
  ///   - folders: where the folder of the socket may be, the best one first.
  ///   - patience: how long mpv may take to open its socket before it counts as one that cannot be
  ///     controlled.
  package init(
    _ command: PlayerCommand, folders: [String], patience: Duration = .seconds(5)
  ) {
    self.command = command
    self.patience = patience
    tie = command.isControlled ? PlayerTie() : nil
    folder = command.isControlled ? PlayerFolder(in: folders) : nil
  }

  /// Plays a file to its end. The calling thread waits.
  ///
  /// - Parameters:
  ///   - path: the absolute path of the file.
  ///   - start: where it begins, if the player can be told.
  ///   - speed: how fast it plays.
  ///   - tell: is called with each new state, at most ten times a second.
  /// - Returns: how it ended, and the last state.
  package func play(
    _ path: String, from start: Duration?, speed: Double, tell: (PlayerState) -> Void
  ) -> (PlayerEnding, PlayerState) {
    let words = command.words(
      playing: path, from: start, speed: speed, socket: folder?.socket ?? "",
      isTied: tie != nil)
    var report = PlayerReport()
    report.state.speed = speed
    defer { folder?.remove() }
    // mpv says on its socket what is wrong.
    let complaints = folder == nil ? PlayerComplaints() : nil
    do throws(ProgramStart.Failure) {
      let (_, status) = try child.run(words, input: tie?.input, error: complaints?.file) {
        if let folder { follow(folder, &report, tell) } else { tell(report.state) }
      }
      let ending = PlayerEnding(
        command.name, status: status, report, complaint: complaints?.last ?? "",
        isWanted: child.isCancelled)
      return (ending, report.state)
    } catch {
      return (error.number == ECANCELED ? .stopped : .notStarted(error), report.state)
    }
  }

  /// Asks the player for something; false if it cannot be asked.
  package func send(_ request: PlayerRequest) -> Bool { send(request.line) }

  /// Ends the player, also if it has not started yet.
  package func cancel() { child.cancel() }

  /// Lets the player go on without podget.
  package func leave() {
    tie?.leave()
    folder?.remove()
  }

  private func send(_ line: String) -> Bool {
    connection.withLock { connection in
      guard connection >= 0 else { return false }
      let bytes = Array(line.utf8)
      let flags = Int32(MSG_DONTWAIT) | OperatingSystem.noSignal
      let count = Glibc.send(connection, bytes, bytes.count, flags)
      // Half a line cannot be taken back.
      if count > 0, count < bytes.count { shutdown(connection, Int32(SHUT_RDWR)) }
      return count == bytes.count
    }
  }
}

/// What is done while it runs.
extension PlayerProcess {
  /// Connects to mpv, and takes what it says until it ends.
  private func follow(
    _ folder: PlayerFolder, _ report: inout PlayerReport, _ tell: (PlayerState) -> Void
  ) {
    let begin = ContinuousClock.now
    var isSaid = false
    while !child.hasEnded {
      if let socket = folder.connect() {
        connection.withLock { $0 = socket }
        for property in PlayerMessage.properties { _ = send(PlayerRequest.observing(property)) }
        report.state.isControlled = true
        tell(report.state.shown)
        listen(socket, &report, tell)
        connection.withLock { connection in
          close(connection)
          connection = -1
        }
        report.state.isControlled = false
        return tell(report.state.shown)
      }
      let isLate = begin.duration(to: .now) > patience
      if isLate, !isSaid {
        tell(report.state)
        isSaid = true
      }
      _ = poll(nil, 0, isLate ? Self.longPause : Self.pause)
    }
  }

  /// Takes what mpv says until it says nothing more, or too much.
  private func listen(
    _ socket: Int32, _ report: inout PlayerReport, _ tell: (PlayerState) -> Void
  ) {
    var lines = PlayerLines()
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    var said = (state: report.state.shown, time: ContinuousClock.now)
    var second = (begin: said.time, bytes: 0)
    while true {
      var poll = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      let ready = Glibc.poll(
        &poll, 1, report.state.shown == said.state ? Self.longPause : Self.rhythm)
      let now = ContinuousClock.now
      if ready > 0 {
        let count = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        guard count > 0 || count < 0 && (errno == EAGAIN || errno == EINTR) else { return }
        let said = lines.lines(in: buffer[..<max(0, count)])
        for line in said where !line.isEmpty {
          if let message = PlayerMessage(line: line) { report.take(message) }
        }
        if second.begin.duration(to: now) > .seconds(1) { second = (now, 0) }
        second.bytes += max(0, count) + said.count * Self.lineCost
        guard second.bytes <= Self.mostBytes else { return }
      } else if child.hasEnded {
        return
      }
      if report.state.shown != said.state,
        said.time.duration(to: now) >= .milliseconds(Int(Self.rhythm))
      {
        said = (report.state.shown, now)
        tell(said.state)
      }
    }
  }
}

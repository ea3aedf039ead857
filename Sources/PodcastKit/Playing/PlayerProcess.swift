import Glibc
package import PodcastModel

/// A player that plays one file. mpv is controlled by a connection that is its standard input.
package final class PlayerProcess: Sendable {
  /// The time between two looks whether the player has ended, in milliseconds.
  private static let pause: Int32 = 200
  /// The shortest time between two states that are said, in milliseconds.
  private static let rhythm: Int32 = 100
  /// How much it may say in a second, in bytes; no player says more. Each line counts as more than it has,
  /// because it takes time to read.
  private static let (mostBytes, lineCost) = (1 << 20, 256)

  private let command: PlayerCommand
  private let child = ChildProgram(place: .unseen)
  /// The connection with mpv; nil for other players.
  private let connection: PlayerConnection?
  private let patience: Duration

  /// Creates a player that was not started yet.
  ///
  /// - Parameters:
  ///   - command: the program.
  ///   - patience: how long mpv may say nothing before it counts as one that cannot be controlled.
  package init(_ command: PlayerCommand, patience: Duration = .seconds(5)) {
    self.command = command
    self.patience = patience
    connection = command.isControlled ? PlayerConnection() : nil
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
      playing: path, from: start, speed: speed, isConnected: connection != nil)
    var report = PlayerReport()
    report.state.speed = speed
    // mpv says on the connection what is wrong.
    let complaints = connection == nil ? PlayerComplaints() : nil
    do throws(ProgramStart.Failure) {
      let (_, status) = try child.run(words, input: connection?.input, error: complaints?.file) {
        connection?.closeInput()
        if let connection {
          listen(connection, &report, tell)
        } else {
          tell(report.state)
        }
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
  package func send(_ request: PlayerRequest) -> Bool {
    connection.map { $0.isOpen && $0.send(request.line) } ?? false
  }

  /// Ends the player, also if it has not started yet.
  package func cancel() { child.cancel() }

  /// Lets the player go on without podget.
  package func leave() { connection?.leave() }
}

/// What is done while it runs.
extension PlayerProcess {
  /// Takes what mpv says until it says nothing more, or too much.
  private func listen(
    _ connection: PlayerConnection, _ report: inout PlayerReport, _ tell: (PlayerState) -> Void
  ) {
    for property in PlayerMessage.properties {
      _ = connection.send(PlayerRequest.observing(property))
    }
    var lines = PlayerLines()
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    let begin = ContinuousClock.now
    var said: (state: PlayerState, time: ContinuousClock.Instant)?
    var second = (begin: begin, bytes: 0)
    while !child.hasEnded {
      let isSaid = said?.state == report.state.shown
      let count = connection.receive(
        into: &buffer, within: isSaid ? Self.pause : Self.rhythm)
      guard let count else { break }
      let now = ContinuousClock.now
      if count > 0 {
        report.state.isControlled = true
        let heard = lines.lines(in: buffer[..<count])
        for line in heard where !line.isEmpty {
          if let message = PlayerMessage(line: line) { report.take(message) }
        }
        if second.begin.duration(to: now) > .seconds(1) { second = (now, 0) }
        second.bytes += count + heard.count * Self.lineCost
        // What nobody takes holds up its words, and not what is heard.
        guard second.bytes <= Self.mostBytes else { break }
      }
      let isNew = said.map { $0.state != report.state.shown } ?? report.state.isControlled
      let isLate = said == nil && begin.duration(to: now) > patience
      let isTime = said.map { $0.time.duration(to: now) >= .milliseconds(Int(Self.rhythm)) } ?? true
      if isLate || isNew && isTime {
        said = (report.state.shown, now)
        tell(report.state.shown)
      }
    }
    connection.stopTalking()
    if report.state.isControlled {
      report.state.isControlled = false
      tell(report.state.shown)
    }
  }
}

package import PodcastModel
package import PodcastTransfer

/// Logins of many subscriptions: a command that several of them have runs once.
package actor SubscriptionLogins {
  private let place: ChildProgram.Place
  private let keepsFailures: Bool
  private let limit: Duration
  private let clock: any Clock<Duration>
  private let gate: HostGate
  private var passwords: [String: Task<Result<String, PodgetError>, Never>] = [:]

  /// Creates an empty collection.
  ///
  /// - Parameters:
  ///   - place: what the commands have to do with podget's terminal.
  ///   - keepsFailures: whether a command that failed does not run again.
  ///   - limit: how long a command may take.
  ///   - clock: measures the limit.
  package init(
    place: ChildProgram.Place = .command, keepsFailures: Bool = true,
    limit: Duration = PasswordCommand.standardLimit, clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.place = place
    self.keepsFailures = keepsFailures
    self.limit = limit
    self.clock = clock
    gate = HostGate(.init(total: Self.commandsAtOnce, perHost: Self.commandsAtOnce), clock: clock)
  }

  /// How many commands run at once.
  private static let commandsAtOnce = 16

  /// The user name and the password; nil if the subscription has none. Cancelling the task ends the
  /// command, also for others that wait for it.
  private func login(
    to subscription: Subscription, isTrusted: Bool
  ) async throws(PodgetError) -> (user: String, password: String)? {
    guard let user = subscription.settings[.user],
      let command = subscription.settings[.passwordCommand]
    else { return nil }
    let running =
      passwords[command]
      ?? Task {
        do throws(PodgetError) {
          return .success(try await self.password(from: command, isTrusted))
        } catch {
          return .failure(error)
        }
      }
    passwords[command] = running
    let result = await withTaskCancellationHandler {
      await running.value
    } onCancel: {
      running.cancel()
    }
    if case .failure = result, !keepsFailures { passwords[command] = nil }
    return (user, try result.get())
  }

  /// Logs in to the feed of a subscription: with what its address has, or what its command prints.
  ///
  /// - Parameters:
  ///   - credentials: gets the user name and the password, for the origin that they were given for and
  ///     for no other: the feed may be elsewhere by now.
  ///   - isTrusted: whether the file with the command can only be the user's.
  /// - Returns: the feed's address without user name and password.
  @discardableResult
  package func logIn(
    to subscription: Subscription, isTrusted: Bool, _ credentials: OriginCredentials
  ) async throws(PodgetError) -> String {
    let address = credentials.take(from: subscription.feedURL.text)
    if let origin = subscription.loginOrigin,
      let login = try await login(to: subscription, isTrusted: isTrusted)
    {
      credentials.set(user: login.user, password: login.password, for: origin)
    }
    return address
  }

  private nonisolated func password(
    from command: String, _ isTrusted: Bool
  ) async throws(PodgetError) -> String {
    guard isTrusted else {
      throw PodgetError(
        .disk,
        "The password command is not run, because others can change the file with the "
          + "subscriptions.")
    }
    let password = try await gate.withPlace(at: "") { () async throws(PodgetError) in
      try await PasswordCommand.password(from: command, place: place, limit: limit, clock: clock)
    }
    guard let password else {
      throw PodgetError(.network, "The password command was stopped.")
    }
    return password
  }
}

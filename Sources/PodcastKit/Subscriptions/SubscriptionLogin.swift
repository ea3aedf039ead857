package import PodcastModel

/// The login of a subscription: its user, and what its command prints.
package enum SubscriptionLogin {
  /// The user name and the password; nil if the subscription has none.
  ///
  /// - Parameters:
  ///   - isTrusted: whether the file with the command can only be the user's.
  ///   - place: what the command has to do with podget's terminal.
  package static func login(
    to subscription: Subscription, isTrusted: Bool, place: ChildProgram.Place = .terminal
  ) async throws(PodgetError) -> (user: String, password: String)? {
    guard let user = subscription.settings[.user],
      let command = subscription.settings[.passwordCommand]
    else { return nil }
    guard isTrusted else {
      throw PodgetError(
        .disk,
        "The password command is not run, because others can change the file with the "
          + "subscriptions.")
    }
    return (user, try await PasswordCommand.password(from: command, place: place))
  }
}

/// Logins of many subscriptions: a command that several of them have runs once.
package actor SubscriptionLogins {
  private let place: ChildProgram.Place
  private let keepsFailures: Bool
  private var passwords: [String: Task<Result<String, PodgetError>, Never>] = [:]

  /// Creates an empty collection.
  ///
  /// - Parameters:
  ///   - place: what the commands have to do with podget's terminal.
  ///   - keepsFailures: whether a command that failed does not run again.
  package init(place: ChildProgram.Place = .terminal, keepsFailures: Bool = true) {
    self.place = place
    self.keepsFailures = keepsFailures
  }

  /// The user name and the password; nil if the subscription has none.
  ///
  /// Cancelling the task ends the command, also for others that wait for it.
  ///
  /// - Parameter isTrusted: whether the file with the command can only be the user's.
  package func login(
    to subscription: Subscription, isTrusted: Bool
  ) async throws(PodgetError) -> (user: String, password: String)? {
    guard let user = subscription.settings[.user],
      let command = subscription.settings[.passwordCommand]
    else { return nil }
    let place = place
    let running =
      passwords[command]
      ?? Task {
        do throws(PodgetError) {
          let login = try await SubscriptionLogin.login(
            to: subscription, isTrusted: isTrusted, place: place)
          return .success(login?.password ?? "")
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
}

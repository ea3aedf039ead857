/// How far a player is with an episode.
package struct PlayerState: Sendable, Hashable {
  /// Where it is; nil if it does not say.
  package var position: Duration?
  /// How long the episode is, as the player says.
  package var duration: Duration?
  /// Whether it waits to go on.
  package var isPaused = false
  /// How fast it plays; 1 is the usual speed.
  package var speed = 1.0
  /// How loud it is, in percent; nil if it does not say.
  package var volume: Int?
  /// Whether it can be asked for anything but its end.
  package var isControlled = false

  /// A player that has said nothing.
  package init() {}

  /// The same with whole seconds: nothing else is shown.
  package var shown: PlayerState {
    var state = self
    state.position = position.map { .seconds($0.components.seconds) }
    return state
  }
}

/// What a player is asked for.
package enum PlayerRequest: Sendable, Hashable {
  /// Pause, or go on.
  case pause
  /// Move by seconds.
  case move(Int)
  /// Go to a time.
  case seek(Duration)
  /// Play faster, or slower.
  case faster(Double)
  /// Play louder, or quieter, in percent.
  case louder(Int)
  /// Play at a speed.
  case speed(Double)
}

import BrowseScreen
import Glibc
import PodcastBrowse

/// The thread that draws and reads keys. It never waits for the network, the disk or the terminal.
struct BrowseLoop: ~Copyable {
  /// Milliseconds between two looks whether the process is in the foreground again: some shells give
  /// it the terminal after they continued it.
  private static let backgroundPause: Int32 = 200
  /// How long answers of the terminal are waited for at the end, so that the shell does not read them
  /// as keys.
  private static let answerPatience: Duration = .milliseconds(500)

  private let terminal: TerminalSession
  private let mailbox: EventMailbox
  private let look: BrowseLook
  private var images: TerminalImages
  private let perform: (BrowseEffect) -> Void
  private var model: BrowseModel
  private var decoder = TimedKeyDecoder()
  private var output = FrameOutput()
  /// When the terminal was asked; nil if it was not.
  private var asked: ContinuousClock.Instant?
  /// The exit status, once it is to end.
  private var status: Int32?

  /// Creates a loop.
  ///
  /// - Parameter perform: begins what the model wants, and returns at once.
  init(
    _ terminal: TerminalSession, _ mailbox: EventMailbox, settings: BrowseSettings,
    perform: @escaping (BrowseEffect) -> Void
  ) {
    self.terminal = terminal
    self.mailbox = mailbox
    self.perform = perform
    var look = BrowseLook(
      hasColor: settings.hasColor, isUTF8: settings.isUTF8, hasLinks: !terminal.isLinuxConsole)
    // They were checked before the screen was used.
    look.theme = settings.theme.flatMap { try? BrowseTheme($0) } ?? BrowseTheme()
    self.look = look
    let variables = TerminalEnvironment.names.compactMap { name in
      getenv(name).map { (name, String(cString: $0)) }
    }
    images = TerminalImages(
      settings.images,
      TerminalEnvironment(
        Dictionary(variables) { first, _ in first }, isConsole: terminal.isLinuxConsole),
      hasColor: settings.hasColor, isUTF8: settings.isUTF8)
    model = BrowseModel(
      size: terminal.size, source: settings.source, hasTrash: settings.trashDays > 0,
      keys: BrowseKeyMap(of: settings))
  }

  /// Runs until the user or a signal ends it; the exit status.
  mutating func run() -> Int32 {
    var isShown = enter()
    applyImages()
    for effect in model.firstEffects { perform(effect) }
    var isChanged = true
    var hasKeys = false
    while status == nil {
      if isShown, isChanged {
        output.show(BrowseView.frame(model, look), isUrgent: hasKeys)
        isChanged = false
      }
      if isShown, !output.flush(terminal.write) { return 128 + SIGHUP }
      let input = terminal.wait(
        readsKeys: isShown, wantsOutput: isShown && output.isWaiting,
        timeout: isShown ? decoder.timeout(at: .now) : Self.backgroundPause)
      if input.isClosed { return 128 + SIGHUP }
      for number in input.signals {
        switch number {
        case SIGWINCH: isChanged = true
        case SIGCONT:
          isShown = enter()
          isChanged = true
        default: status = status ?? 128 + number
        }
      }
      if !isShown, enter() {
        isShown = true
        isChanged = true
      }
      if !input.signals.isEmpty { take(.resized(terminal.size)) }
      let events = input.isWoken ? mailbox.take() : []
      for event in events { take(event) }
      let keys = decoder.keys(input.bytes, at: .now)
      let answers = decoder.takeAnswers()
      for answer in answers { images.take(answer) }
      if !answers.isEmpty || !input.signals.isEmpty {
        applyImages()
        isChanged = true
      }
      for key in keys { take(.key(key)) }
      hasKeys = !keys.isEmpty
      isChanged = isChanged || hasKeys || !events.isEmpty
    }
    // After other signals the terminal may be gone, or there is no time.
    if isShown, status == 0 || status == 128 + SIGINT { awaitAnswers() }
    return status ?? 0
  }

  /// Uses the screen, which then has to be drawn anew; false in the background.
  private mutating func enter() -> Bool {
    guard terminal.enter() else { return false }
    output.forget()
    if asked == nil, let questions = images.questions {
      output.send(questions.utf8)
      asked = .now
    }
    return true
  }

  /// Waits until the terminal has answered, but not for one that never does.
  private mutating func awaitAnswers() {
    guard let asked else { return }
    while !images.isAnswered, asked.duration(to: .now) < Self.answerPatience {
      let rest = asked + Self.answerPatience - .now
      let input = terminal.wait(
        readsKeys: true, wantsOutput: false,
        timeout: Int32((max(.zero, rest) / .milliseconds(1)).rounded(.up)))
      if input.isClosed || input.signals.contains(where: { $0 != SIGWINCH }) { return }
      _ = decoder.keys(input.bytes, at: .now)
      for answer in decoder.takeAnswers() { images.take(answer) }
    }
  }

  /// Draws images as the terminal is known to show them now.
  private mutating func applyImages() {
    images.windowCell = terminal.cellSize
    output.isSynchronized = images.isSynchronized
    output.use(images.palette)
    let method = images.method
    if method == .kitty { terminal.deleteImagesAtEnd() }
    output.drawImages(method, cell: images.cell)
    take(.images(method == nil ? nil : images.cell, inRows: method?.drawsPixels ?? false))
  }

  private mutating func take(_ event: BrowseEvent) {
    for effect in model.reduce(event) {
      switch effect {
      case .quit: status = status ?? 0
      case .copy(let text): output.send(TerminalClipboard.copying(text).utf8)
      default: perform(effect)
      }
    }
  }
}

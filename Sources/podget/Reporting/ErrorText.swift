import PodcastKit

extension PodgetError {
  /// What happened, and how to fix it with this program, in one sentence.
  var sentence: String {
    guard let remedy, message.hasSuffix(".") else { return message }
    return "\(message.dropLast()); \(remedy.clause)."
  }
}

extension PodgetError {
  /// The same for a command that downloads no episodes.
  var ofCommand: PodgetError {
    var error = self
    if remedy == .makeRoom { error.remedy = .makeRoomAndRepeat }
    return error
  }
}

extension PodgetError.Remedy {
  /// The end of a sentence.
  fileprivate var clause: String {
    switch self {
    case .resume: "podget resume continues it"
    case .tryAgain: "podget resume tries it again"
    case .makeRoom: "make room and run podget resume"
    case .makeRoomAndRepeat: "make room and run it again"
    case .deleteAtOnce: "--now deletes files without the trash"
    case .finishDownload: "podget resume finishes it"
    case .downloadAgain: "podget download --episode downloads it again"
    case .allowInsecureRedirects: "--allow-insecure-redirects permits it"
    case .acceptMore: "--max-unknown-length sets another limit"
    case .trustOtherCertificates: "--cacert sets other certificates"
    case .logIn: "give a user name and password with --user and --password-command"
    case .acceptMove(let name): "podget subscribe --accept-move \(name) uses it there"
    case .chooseFeed(let name):
      "--as-new follows both, and podget subscribe \(name) changes the settings of that one"
    case .search(let name): "podget search \(name) may find its id"
    case .beginWithScheme: "an address begins with https://"
    case .diagnose: "check the address, or ask podget doctor about it"
    case .listEpisodes: "podget list shows all"
    case .listWithAddresses:
      "podget list --json has the addresses, and the ids of episodes without one"
    case .listSubscriptions: "podget subscriptions lists the names"
    case .unpause: "podget unpause lets podcasts be asked again"
    case .subscribe: "podget subscribe follows it"
    case .followOne: "podget subscribe follows one"
    case .followOneOrNone:
      "podget subscribe follows one, and --allow-empty accepts that there is none"
    case .importSubscriptions: "podget import follows its podcasts"
    case .copyFiles: "--copy copies the files"
    case .publishAnyway: "--allow-empty publishes all the same, and removes the rest"
    case .lookElsewhere:
      "look for its id with podget search, or name another country's catalog with --country"
    }
  }
}

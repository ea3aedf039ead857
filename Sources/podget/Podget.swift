import ArgumentParser

@main
struct Podget: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Download podcasts, keep them, and never lose a byte.", version: "0.1.0")
}

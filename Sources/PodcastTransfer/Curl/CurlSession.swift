internal import CCurl
import Glibc
import PodcastModel

/// The real transport: libcurl's multi interface on one dedicated thread.
///
/// HTTP/1.1 only: the HTTP/2 of libcurl 7.88 buffers up to 32 MiB for a paused stream and reports
/// some interrupted streams as complete.
public final class CurlSession: Transport {
  /// The settings of all transfers of a session.
  public struct Configuration: Sendable, Hashable {
    /// The `User-Agent` field.
    public var userAgent: String
    /// A file of trusted certificates in PEM form; nil for the system's.
    public var certificateFile: String?
    /// The timeout for a connection, including name lookup and TLS.
    public var connectTimeout: Duration
    /// The time without a byte of header or body after which a transfer counts as stalled.
    public var stallTimeout: Duration
    /// When a transfer is so slow that it ends if others wait.
    public var slowLimit = SlowLimit()
    /// The maximum number of body bytes per second for all transfers together; nil is no limit.
    public var bytesPerSecond: Int64?
    /// Where `~/.netrc` is used over plain http, and its `default` entry at all; the other entries
    /// are used over https wherever their hosts are asked.
    public var namedOrigins = NamedOrigins()
    /// Another file instead of `~/.netrc`.
    public var netrcFile: String?
    /// The proxy's address for every request; empty for none. Nil uses the environment variables
    /// `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, as curl does.
    public var proxy: String?

    /// Creates a configuration.
    public init(
      userAgent: String, certificateFile: String? = nil, connectTimeout: Duration = .seconds(15),
      stallTimeout: Duration = .seconds(30), bytesPerSecond: Int64? = nil, proxy: String? = nil
    ) {
      self.userAgent = userAgent
      self.certificateFile = certificateFile
      self.connectTimeout = connectTimeout
      self.stallTimeout = stallTimeout
      self.bytesPerSecond = bytesPerSecond.map { max(1, $0) }
      self.proxy = proxy
    }
  }

  private let loop: CurlLoop

  private init(_ loop: CurlLoop) { self.loop = loop }

  /// Runs `body` with a session whose thread is joined before this returns; transfers that are
  /// still running then are aborted.
  ///
  /// - Throws: a ``PodgetError`` when libcurl or its thread cannot be started, and errors of
  ///   `body`.
  public static func with<Result: Sendable>(
    _ configuration: Configuration, _ body: (CurlSession) async throws -> Result
  ) async throws -> Result {
    guard podget_has_curl() else {
      throw PodgetError(
        .network, "There is no libcurl.so.4, or it is older than 7.68; install libcurl.")
    }
    guard let loop = CurlLoop(configuration) else {
      throw PodgetError(.network, "libcurl could not be set up on this machine.")
    }
    var thread = pthread_t()
    let context = Unmanaged.passRetained(loop)
    guard pthread_create(&thread, nil, runLoop, context.toOpaque()) == 0 else {
      context.release()
      throw PodgetError(.network, "The system allows no more threads; close other programs.")
    }
    defer {
      loop.close()
      // The loop answers within microseconds, so blocking here is cheap.
      pthread_join(thread, nil)
    }
    return try await body(CurlSession(loop))
  }

  /// Performs one GET request on the loop thread; see ``Transport/perform(_:receiver:control:)``.
  public func perform(
    _ request: HTTPRequest, receiver: any ResponseReceiver, control: TransferControl
  ) async -> TransferEnd {
    await withCheckedContinuation { continuation in
      loop.begin(
        TransferOrder(request: request, receiver: receiver, control: control) {
          continuation.resume(returning: $0)
        })
    }
  }
}

private func runLoop(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<CurlLoop>.fromOpaque(context).takeRetainedValue().run()
  return nil
}

extension CurlSession {
  /// The version of libcurl that this was built with, such as `7.88.1`. libcurl itself is loaded with
  /// the first session.
  public static let libraryVersion = LIBCURL_VERSION
}

extension CurlSession.Configuration {
  /// The login of `~/.netrc` for a request; nil if there is none, or if it may not go there. The
  /// file is read for each request, as libcurl does, so that a change counts at once.
  func netrcLogin(for url: String) -> NetrcFile.Login? {
    guard namedOrigins.allowPasswords(for: url), let address = WebAddress(url),
      let path = netrcFile ?? NetrcFile.userPath
    else { return nil }
    return NetrcFile.read(path)?
      .login(for: address, allowsDefault: namedOrigins.contains(address))
  }
}

import Foundation

/// Debian's nginx serving a folder on 127.0.0.1, with or without TLS; it ends with the last
/// reference. Everything it needs and writes is in a temporary folder.
public final class NginxServer: Sendable {
  /// Whether nginx, and openssl for TLS, are installed; for `.enabled(if:)`.
  public static let isInstalled =
    program != nil
    && FileManager.default.isExecutableFile(
      atPath: openssl)

  /// The start of every address: `http://127.0.0.1:PORT` or `https://…`.
  public let origin: String
  /// The certificate to trust, in PEM; nil without TLS.
  public let certificateAuthority: String?
  private let folder: TemporaryFolder
  private let process: RunningProcess

  private static let program = ["/usr/sbin/nginx", "/usr/bin/nginx"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }
  private static let openssl = "/usr/bin/openssl"

  /// Starts a server and waits until it listens.
  /// - Parameters:
  ///   - root: The folder to serve.
  ///   - tls: Whether to use TLS, with a certificate for 127.0.0.1 and localhost.
  ///   - directives: Directives for the `server` block, such as `limit_rate 1m;`.
  /// - Throws: ``SpawnError``, ``TimedOut``, what the file system says.
  public init(root: String, tls: Bool = false, directives: String = "") async throws {
    guard let program = Self.program else {
      throw SpawnError(description: "nginx is not installed.")
    }
    let folder = try TemporaryFolder()
    self.folder = folder
    if tls { try await Self.makeCertificates(in: folder) }
    let port = try RawClient.unusedPort()
    let ssl =
      tls
      ? "ssl_certificate \(folder.path("server.pem")); ssl_certificate_key \(folder.path("key.pem"));"
      : ""
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map { "\($0)_temp_path \(folder.path($0));" }.joined(separator: " ")
    let configuration = try folder.write(
      "nginx.conf",
      """
      daemon off; master_process off; pid \(folder.path("pid")); error_log stderr warn;
      events { worker_connections 1024; }
      http {
        access_log \(folder.path("access.log")); \(temporary)
        types { audio/mpeg mp3; application/rss+xml xml rss; application/json json; }
        server {
          listen 127.0.0.1:\(port)\(tls ? " ssl" : ""); \(ssl)
          root \(root); sendfile on; keepalive_requests 100000;
          \(directives)
        }
      }
      """)
    let process = try RunningProcess(
      program, ["-e", "stderr", "-p", folder.path, "-c", configuration])
    self.process = process
    origin = "\(tls ? "https" : "http")://127.0.0.1:\(port)"
    certificateAuthority = tls ? folder.path("ca.pem") : nil
    try await waitUntil("nginx listens on \(port)", seen: { process.error }) {
      (try? RawClient(port: port)) != nil
    }
  }

  /// The lines of its access log.
  public var accessLog: [String] {
    let bytes = (try? folder.read("access.log")) ?? []
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private static func makeCertificates(in folder: TemporaryFolder) async throws {
    let names = try folder.write("names", "subjectAltName=IP:127.0.0.1,DNS:localhost\n")
    let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    let steps = [
      ["req", "-x509"] + key + [
        "-days", "2", "-subj", "/CN=podget test authority", "-keyout", "ca-key.pem", "-out",
        "ca.pem",
      ],
      ["req"] + key + ["-subj", "/CN=127.0.0.1", "-keyout", "key.pem", "-out", "request.pem"],
      [
        "x509", "-req", "-days", "2", "-in", "request.pem", "-CA", "ca.pem", "-CAkey",
        "ca-key.pem", "-CAcreateserial", "-extfile", names, "-out", "server.pem",
      ],
    ]
    for step in steps {
      let result = try await RunningProcess(openssl, step, folder: folder.path).waitForExit()
      guard result.status == .exited(0) else {
        throw SpawnError(description: "openssl \(step[0]) failed: \(result.error)")
      }
    }
  }
}

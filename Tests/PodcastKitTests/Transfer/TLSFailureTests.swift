import Testing

@testable import PodcastTransfer

@Suite("Failures of TLS in plain words") struct TLSFailureTests {
  @Test(
    arguments: [
      (
        "OpenSSL/3.0.15: error:0A00010B:SSL routines::wrong version number",
        "the server does not speak TLS there; the address may begin with http://"
      ),
      ("error:0A000086:SSL routines::certificate verify failed", "certificate verify failed"),
      ("SSL certificate problem: self-signed certificate", "self-signed certificate"),
      (
        "OpenSSL SSL_connect: Connection reset by peer in connection to a.example:443 ",
        "Connection reset by peer in connection to a.example:443"
      ),
      (
        "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to a.example:443 ",
        "the server closed the connection; it may not speak TLS there"
      ),
      ("error setting certificate file: /c", "error setting certificate file: /c"),
    ])
  func sentence(text: String, sentence: String) {
    #expect(TLSFailure.sentence(text) == sentence)
  }
}

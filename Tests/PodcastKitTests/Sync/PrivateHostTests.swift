import Foundation
import Testing

@testable import PodcastModel

@Suite("Hosts of private networks") struct PrivateHostTests {
  @Test(
    "which hosts are private",
    arguments: [
      ("localhost", true), ("LOCALHOST", true), ("a.localhost", true), ("localhost.", true),
      ("nas", true), ("nas.", true), ("nas.local", true), ("nas.home.arpa", true),
      ("nas.internal", true), ("nas.lan", true), ("example.com", false), ("local.example", false),
      ("localhost.example.com", false), ("mylocal", true), ("a.mylocal", false),
      ("127.0.0.1", true), ("127.255.255.255", true), ("128.0.0.1", false), ("0.0.0.0", true),
      ("10.1.2.3", true), ("11.0.0.1", false), ("172.15.0.1", false), ("172.16.0.1", true),
      ("172.31.255.255", true), ("172.32.0.1", false), ("192.168.1.1", true),
      ("192.169.1.1", false), ("169.254.1.1", true), ("100.64.0.1", true), ("100.128.0.1", false),
      ("8.8.8.8", false), ("127.1", true), ("2130706433", true), ("0x7f.0.0.1", true),
      ("0177.0.0.1", true), ("134744072", false), ("8.8", false), ("10.example", false),
      ("256.256.256.256", false), ("1.2.3.4.5", false), ("[::1]", true), ("[::]", true),
      ("[0:0:0:0:0:0:0:1]", true), ("[fe80::1%25eth0]", true), ("[febf::1]", true),
      ("[fec0::1]", false), ("[fc00::1]", true), ("[fdff::1]", true), ("[fe00::1]", false),
      ("[2001:db8::1]", false), ("[::ffff:127.0.0.1]", true), ("[::ffff:8.8.8.8]", false),
      ("[::ffff:7f00:1]", true), ("[2606:4700::]", false), ("[]", true), ("[:::]", true),
      ("[zz::1]", true), ("[1:2:3:4:5:6:7:8:9]", true), ("[1:2:3:4:5:6:7::8]", true),
    ])
  func hosts(host: String, isPrivate: Bool) throws {
    #expect(try #require(WebAddress("http://\(host)/feed")).isPrivate == isPrivate)
  }
}

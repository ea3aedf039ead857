import PodcastModel
import Testing

@Suite("Addresses without private parts") struct AddressRedactionTests {
  @Test(
    "user name and password are removed, whatever the address looks like",
    arguments: [
      ("https://host/feed?a=b", "https://host/feed?a=b"),
      ("https://user:pass@host/feed?a=b", "https://host/feed?a=b"),
      ("https://user@host:8080/feed", "https://host:8080/feed"),
      ("https://user:p@ss@host/feed", "https://host/feed"),
      ("https://us%40er:p%3Ass@host/", "https://host/"),
      ("https://user%3Apass%40host/feed", "https://host/feed"),
      ("https://user:pa/ss@host/feed", "https://host/feed"),
      ("https://user:pa?ss#x@host/feed", "https://host/feed"),
      ("https://user:my pass@host/feed", "https://host/feed"),
      ("https://user:p://x@host/feed", "https://host/feed"),
      ("https://user:pass@[::1]:80/feed", "https://[::1]:80/feed"),
      ("https://[::1]:80/@name", "https://[::1]:80/@name"),
      ("https://host/@name", "https://host/@name"),
      ("https://host:80/@name", "https://host:80/@name"),
      ("//user:pass@host/feed", "host/feed"),
      ("user:pass@host/feed", "host/feed"),
      ("feed:user:pass@host/feed", "feed:host/feed"),
      ("feed:user:pass@host/?next=http://other/", "feed:host/?next=http://other/"),
      ("feed://https://user:pass@host/feed", "feed://https://host/feed"),
      (
        "https://count.example/https://user:pass@host/a.mp3",
        "https://count.example/https://host/a.mp3"
      ),
      (
        "https://count.example/https%3A%2F%2Fuser%3Apass%40host%2Fa.mp3",
        "https://count.example/https%3A%2F%2Fhost%2Fa.mp3"
      ),
      ("me@host.example", "me@host.example"), ("The 5:30 Show @ Home", "The 5:30 Show @ Home"),
      ("1386867488", "1386867488"), ("", ""), ("://", "://"), ("https://@", "https://"),
      ("https://user:pass@", "https://"),
    ])
  func credentials(address: String, kept: String) {
    #expect(AddressRedaction.withoutCredentials(address) == kept)
  }

  @Test(
    "people do not see queries",
    arguments: [
      ("https://user:pass@host/feed?token=a b&c", "https://host/feed?…"),
      ("https://host?token=a", "https://host?…"),
      ("https://host/feed#part", "https://host/feed#part"),
      ("https://host/feed?", "https://host/feed?…"),
      ("https://count.example/https://host/a?t=1", "https://count.example/https://host/a?…"),
      (
        "https://count.example/https%3A%2F%2Fhost%2Fa%3Ft%3D1",
        "https://count.example/https%3A%2F%2Fhost%2Fa?…"
      ),
      ("https://count.example/a?u=https://user:pass@host/", "https://count.example/a?…"),
      ("What? A title", "What? A title"), ("host/feed?token=1", "host/feed?…"),
      ("feed:me:secret@host/feed?token=1", "feed:host/feed?…"), ("And/or? A title", "And/or?…"),
      ("Right and/or wrong?", "Right and/or wrong?"),
    ])
  func queries(address: String, shown: String) {
    #expect(AddressRedaction.shown(address) == shown)
  }

  @Test(
    "addresses in sentences are found",
    arguments: [
      (
        "The link https://u:p@a.example/x?t=1, or \"http://v:q@b.example/?s\"; try again.",
        "The link https://a.example/x?t=1, or \"http://b.example/?s\"; try again.",
        "The link https://a.example/x?…, or \"http://b.example/?…\"; try again."
      ),
      (
        "Could not resolve host: x (https://a.example/?t=1).",
        "Could not resolve host: x (https://a.example/?t=1).",
        "Could not resolve host: x (https://a.example/?…)."
      ),
      (
        "Ask me@host: why? 50 % of it.", "Ask me@host: why? 50 % of it.",
        "Ask me@host: why? 50 % of it."
      ),
      (
        "https://a.example/ and me@host", "https://a.example/ and me@host",
        "https://a.example/ and me@host"
      ),
    ])
  func texts(text: String, kept: String, shown: String) {
    #expect(AddressRedaction.withoutCredentials(in: text) == kept)
    #expect(AddressRedaction.shown(in: text) == shown)
  }

  @Test("no error message contains a password") func errors() {
    var error = PodgetError(.network, "No connection to https://me:secret@host/.")
    #expect(error.message == "No connection to https://host/.")
    error.message = "Not https://me:secret@host/ either."
    #expect(error.message == "Not https://host/ either.")
    #expect(
      PodgetError(.network, "No.", of: "me:secret@host/feed").message == "host/feed: No.")
  }
}

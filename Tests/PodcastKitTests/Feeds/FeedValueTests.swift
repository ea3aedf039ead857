import FoundationEssentials
import PodcastModel
import Testing

@testable import PodcastFeeds

/// Dates, durations and addresses as feeds write them.
@Suite("Values in feeds") struct FeedValueTests {
  @Test(
    "dates are read in all the forms that feeds have",
    arguments: [
      ("Tue, 05 Mar 2024 12:00:00 +0100", "2024-03-05T11:00:00Z"),
      ("Tue, 05 Mar 2024 12:00:00 GMT", "2024-03-05T12:00:00Z"),
      ("5 Mar 2024 12:00:00 -0000", "2024-03-05T12:00:00Z"),
      ("07 Nov 2015 12:00:00 EST", "2015-11-07T17:00:00Z"),
      ("Mon, 01 Jul 2019 08:00:00 PDT", "2019-07-01T15:00:00Z"),
      ("08 July 2012", "2012-07-08T00:00:00Z"),
      ("Thurs, 4 Sept 2014 01:31 EST", "2014-09-04T06:31:00Z"),
      ("Tue,  5 Jul 2016 07:00:00 GMT-0400 (EDT)", "2016-07-05T11:00:00Z"),
      ("Wed, 05 Jul 2016 07:00:00 CEST", "2016-07-05T05:00:00Z"),
      ("Sun, 19 May 02 15:21:36 GMT", "2002-05-19T15:21:36Z"),
      ("01 Jan 70 01:00:00 +0100", "1970-01-01T00:00:00Z"),
      ("Seg, 24 Set 2018 10:00:00 -0300", "2018-09-24T13:00:00Z"),
      ("mar, 15 nov 2022 00:38:15 +0100", "2022-11-14T23:38:15Z"),
      ("Fri, 05/03/2019 - 15:21", "2019-05-03T15:21:00Z"),
      ("Tue, 05/03/2019 - 15:21", "2019-03-05T15:21:00Z"),
      ("Sat, Dec 16 2023 02:02:33 PM", "2023-12-16T14:02:33Z"),
      ("22.11.2022 12:16:00", "2022-11-22T12:16:00Z"),
      ("Mon Nov 21 12:16:00 2022", "2022-11-21T12:16:00Z"),
      ("2015-03-28T13:31:04.963870 +0700", "2015-03-28T06:31:04Z"),
      ("2007-12-14T23:15:00.000-08:00", "2007-12-15T07:15:00Z"),
      ("2024-W10-2", "2024-03-05T00:00:00Z"), ("2020-W53-7", "2021-01-03T00:00:00Z"),
      ("2024-W01-1T10:30:00+01:00", "2024-01-01T09:30:00Z"),
      ("2024-02-29T24:00:00Z", "2024-03-01T00:00:00Z"),
      ("Sun, 31 Dec 2023 24:00:00 GMT", "2024-01-01T00:00:00Z"),
      ("2003-12-31T10:14-08:00", "2003-12-31T18:14:00Z"), ("2003-12-31", "2003-12-31T00:00:00Z"),
      (" Thu, 01 Jan 2004 19:48:21 GMT\n", "2004-01-01T19:48:21Z"),
    ])
  func dates(text: String, expected: String) {
    #expect(FeedDate.date(Array(text.utf8))?.timestamp == expected)
  }

  @Test(
    "a date that is not certain is none",
    arguments: [
      "", "now", "yesterday", "Thu, 118 Jun 2015 14:30:25 +0200", "15:12:35",
      "Sun, 28 Apr 2013 15:12:352 CST", "31 Feb 2020 10:00:00 GMT", "05/03/2019",
      "Fri, 11 Mar 2016 01:15:00 +3000", "12 13 14 15 16", "2020", "https://example.com/1",
      "2024-W54-1", "2023-W53-1", "2024-W10-8", "2024-W00-1", "2024-03-05T24:00:01Z",
      "Tue, 05 Mar 2024 24:30:00 GMT", "99 Jan 99999 25:61:61", "１２ Jan 2020",
      "T6e, 05 Mar 2024 12:00:00 +0100",
    ])
  func noDates(text: String) {
    #expect(FeedDate.date(Array(text.utf8)) == nil)
  }

  @Test(
    "playing times are read in all the forms that feeds have",
    arguments: [
      ("3723", 3723), ("1:02:03", 3723), ("62:03", 3723), ("90:05", 5405), (" 12:00 ", 720),
      ("00:49.53", 49), ("00:04:49.0", 289), ("1234.9", 1234), ("00:00:00:01", 1),
      ("1:00:00:00", 86_400), ("50 min 4 sec", 3004), ("1h 5m", 3900), ("PT1H2M3S", 3723),
      ("3,600", 3600), ("12,345", 12_345), ("1,5", 1), ("PT65M10.5S", 3910),
      ("PT1.5H", 5400), ("1,25 min", 75), ("1h, 5m", 3900), ("1 hr. 5 min.", 3900),
    ])
  func durations(text: String, expected: Int) {
    #expect(FeedDuration.seconds(Array(text.utf8)) == expected)
  }

  @Test(
    "what is no playing time is none",
    arguments: [
      "", "0", "00:00:00", "-50", "3::3", "http://example.com/1.mp3", "1:2:3:4:5", "99999999999",
      "abc", "5 parsecs", "1e3", "4m 1h", "9999999:00:00:00",
    ])
  func noDurations(text: String) {
    #expect(FeedDuration.seconds(Array(text.utf8)) == nil)
  }

  @Test(
    "addresses become absolute and clean",
    arguments: [
      ("https://example.com/a%20b?c=%2F#d", "https://example.com/a%20b?c=%2F#d"),
      ("  https://example.com/a b\n.mp3 ", "https://example.com/a%20b.mp3"),
      ("http://example.com/frågor.mp3", "http://example.com/fr%C3%A5gor.mp3"),
      ("//cdn.example.com/1.mp3", "https://cdn.example.com/1.mp3"),
      ("/1.mp3", "https://host.example:8443/1.mp3"),
      ("1.mp3", "https://host.example:8443/show/1.mp3"),
      ("../x/./1.mp3?a=../b", "https://host.example:8443/x/1.mp3?a=../b"),
      ("?page=2", "https://host.example:8443/show/feed?page=2"),
      ("HTTPS://Example.com/A", "https://Example.com/A"),
      ("http:example.com/1.mp3", "http://example.com/1.mp3"),
      ("http:\\\\example.com\\1.mp3", "http://example.com/1.mp3"),
      (
        "https://a.example/https%3A%2F%2Fb.example%2F1.mp3",
        "https://a.example/https%3A%2F%2Fb.example%2F1.mp3"
      ),
      ("https://example.com/?a=1&amp;b=2", "https://example.com/?a=1&amp;b=2"),
    ])
  func addresses(text: String, expected: String) {
    let base = BaseAddress("https://user:secret@host.example:8443/show/feed?key=1")
    #expect(FeedAddress.absolute(text, base: base) == expected)
  }

  @Test(
    "what cannot be fetched is no address",
    arguments: [
      "", " ", "mailto:a@b", "ipfs://x", "httpinvalids://x/1", "http://", "#top",
      "http://a\u{7F}b/", "http://" + String(repeating: "\u{301}", count: 2000) + "/",
    ])
  func noAddresses(text: String) {
    #expect(FeedAddress.absolute(text, base: BaseAddress("https://host.example/feed")) == nil)
  }

  @Test("without a base only absolute addresses count")
  func noBase() {
    #expect(FeedAddress.absolute("1.mp3", base: nil) == nil)
    let long = BaseAddress("https://e.com/" + String(repeating: "a", count: 4000) + "/")
    #expect(FeedAddress.absolute("1.mp3", base: long) == nil)
    #expect(FeedAddress.absolute("//e.com/1", base: nil) == "https://e.com/1")
  }

  @Test("a title is one line of bounded length")
  func titles() {
    #expect(FeedText.line(" a \n\t b ".utf8) == "a b")
    #expect(FeedText.line("\u{A0}a\u{A0}".utf8) == "a")
    #expect(FeedText.line(" \n".utf8) == nil)
    let long = FeedText.line(String(repeating: "é", count: 5000).utf8) ?? ""
    #expect(long.utf8.count <= 2048 && long.hasSuffix("é"))
    let marks = "a" + String(repeating: "\u{301}", count: 1000)
    #expect(FeedText.line(marks.utf8).map(\.unicodeScalars.count) == 31)
  }

  @Test(
    "white space at the ends is trimmed, and nothing else",
    arguments: [
      ("", ""), (" \r\n\t", ""), ("a", "a"), ("\n a b \r\n", "a b"), (" é ", "é"),
      ("\u{A0}a\u{2003}", "a"), ("a \u{301}", "a"), ("\u{85}\u{FEFF}a", "\u{FEFF}a"),
      (" \u{A0} ", ""), ("\u{1F}a", "\u{1F}a"),
    ])
  func trimming(text: String, expected: String) {
    #expect(text.trimmingWhitespace() == expected)
    #expect(text[...].trimmingWhitespace() == expected)
  }
}

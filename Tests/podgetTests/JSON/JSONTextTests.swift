import Foundation
import Testing

@testable import podget

@Suite("JSON text") struct JSONTextTests {
  @Test(
    "each value has one text",
    arguments: [
      (.null, "null"), (.bool(true), "true"), (.integer(-3 as Int64), "-3"),
      (.thousandths(1000), "1.0"), (.thousandths(1400), "1.4"), (.thousandths(50), "0.05"),
      (.thousandths(-1234), "-1.234"), (.array([]), "[]"), (.object([]), "{}"),
      (["b": .array([.null, "x"]), "a": .bool(false)], #"{"b":[null,"x"],"a":false}"#),
      ("a\"b\\c/\n\r\t\u{0}\u{1F}é🎉", #""a\"b\\c/\n\r\t\u0000\u001fé🎉""#),
      ("\u{7F}\u{9B}\u{61C}\u{202E}", #""\u007f\u009b\u061c\u202e""#),
    ] as [(JSONValue, String)])
  func text(value: JSONValue, text: String) {
    #expect(JSONText.line(value) == text)
  }

  @Test("an array has one element per line") func lines() {
    #expect(JSONText.lines([]) == "[]\n")
    #expect(JSONText.lines([["a": .null], .bool(true)]) == "[\n{\"a\":null},\ntrue\n]\n")
  }

  @Test("seconds are integers if possible") func seconds() {
    #expect(JSONValue.seconds(.seconds(90)) == .integer(90 as Int64))
    #expect(JSONValue.seconds(.milliseconds(1500)) == .thousandths(1500))
    #expect(JSONValue.seconds(nil) == .null)
    #expect(JSONText.line(.decimalSeconds(.microseconds(1_234_567))) == "1.235")
  }

  @Test(
    "dates are in UTC, with full seconds and four digits of the year",
    arguments: [
      (1_676_563_217.9, "\"2023-02-16T16:00:17Z\""), (0, "\"1970-01-01T00:00:00Z\""),
      (-0.5, "\"1969-12-31T23:59:59Z\""), (253_402_300_799, "\"9999-12-31T23:59:59Z\""),
      (253_402_300_800, "null"), (.nan, "null"),
    ] as [(Double, String)])
  func dates(seconds: Double, text: String) {
    #expect(JSONText.line(JSONForm.date(Date(timeIntervalSince1970: seconds))) == text)
  }
}

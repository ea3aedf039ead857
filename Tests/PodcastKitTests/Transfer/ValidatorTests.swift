import PodcastTransfer
import Testing

@Suite("Validators") struct ValidatorTests {
  private static let modified = "Thu, 16 Feb 2023 16:00:17 GMT"
  private static let oneSecondLater = "Thu, 16 Feb 2023 16:00:18 GMT"

  @Test("row 27: a strong entity tag goes into If-Range unchanged", arguments: ["\"a\"", "\"\""])
  func strong(etag: String) {
    #expect(Validator(etag: etag).ifRange == etag)
    #expect(
      Validator(etag: etag, lastModified: Self.modified, date: Self.oneSecondLater).ifRange == etag)
  }

  @Test(
    "row 28: with any other entity tag nothing can be continued, not even by the date",
    arguments: ["W/\"a\"", "w/\"a\"", "a", "\"a", "a\"", "\"", "", "'a'", "\"ä\"", "\"a b\""])
  func weak(etag: String) {
    #expect(Validator(etag: etag).ifRange == nil)
    #expect(
      Validator(etag: etag, lastModified: Self.modified, date: Self.oneSecondLater).ifRange == nil)
  }

  @Test("row 29: a date counts when it is a second older than the answer, byte for byte")
  func date() {
    let strong = Validator(lastModified: Self.modified, date: Self.oneSecondLater)
    #expect(strong.ifRange == Self.modified)
    #expect(Validator(lastModified: Self.modified, date: Self.modified).ifRange == nil)
    #expect(Validator(lastModified: Self.oneSecondLater, date: Self.modified).ifRange == nil)
    #expect(Validator(lastModified: Self.modified).ifRange == nil)
    #expect(Validator(lastModified: "yesterday", date: Self.modified).ifRange == nil)
    #expect(Validator(lastModified: Self.modified, date: "today").ifRange == nil)
  }

  @Test("row 30: no validator, no If-Range") func none() {
    #expect(Validator().ifRange == nil)
    #expect(Validator(date: Self.modified).ifRange == nil)
  }

  @Test("strong entity tags decide, whatever the dates say")
  func sameByTag() {
    let first = Validator(etag: "\"a\"", lastModified: Self.modified)
    let second = Validator(etag: "\"a\"", lastModified: Self.oneSecondLater)
    #expect(first.isSameVersion(as: second) == true)
    #expect(first.isSameVersion(as: Validator(etag: "\"b\"", lastModified: Self.modified)) == false)
  }

  @Test("equal dates decide only if they are strong")
  func sameByDate() {
    let strong = Validator(lastModified: Self.modified, date: Self.oneSecondLater)
    #expect(strong.isSameVersion(as: Validator(lastModified: Self.modified)) == true)
    #expect(strong.isSameVersion(as: Validator(lastModified: Self.oneSecondLater)) == false)
    let weak = Validator(lastModified: Self.modified, date: Self.modified)
    #expect(weak.isSameVersion(as: Validator(lastModified: Self.modified)) == nil)
  }

  @Test("missing or only weakly equal fields prove nothing")
  func untold() {
    #expect(Validator().isSameVersion(as: Validator()) == nil)
    #expect(Validator(etag: "\"a\"").isSameVersion(as: Validator()) == nil)
    #expect(Validator().isSameVersion(as: Validator(etag: "\"a\"")) == nil)
    #expect(Validator(etag: "W/\"a\"").isSameVersion(as: Validator(etag: "W/\"a\"")) == nil)
    #expect(Validator(etag: "\"a\"").isSameVersion(as: Validator(etag: "W/\"a\"")) == nil)
  }

  @Test("row 28: different weak entity tags are two versions")
  func weakDiffer() {
    #expect(Validator(etag: "W/\"a\"").isSameVersion(as: Validator(etag: "W/\"b\"")) == false)
  }

  @Test("the fields are taken as received")
  func fields() {
    let head = ResponseHead(
      status: 200,
      fields: [
        HTTPField("etag", "\"a\""), HTTPField("last-modified", Self.modified),
        HTTPField("DATE", Self.oneSecondLater),
      ])
    #expect(
      Validator(head)
        == Validator(etag: "\"a\"", lastModified: Self.modified, date: Self.oneSecondLater))
  }
}

import PodcastTransfer
import Testing

@Suite("Response heads") struct HTTPMessageTests {
  @Test("field names ignore case") func fields() {
    let head = ResponseHead(
      status: 200, fields: [HTTPField("ETag", "\"a\""), HTTPField("etag", "b")])
    #expect(head.values("Etag") == ["\"a\"", "b"])
    #expect(head.first("x-none") == nil)
  }
}

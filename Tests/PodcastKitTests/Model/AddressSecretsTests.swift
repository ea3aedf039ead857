import PodcastModel
import Testing

/// What may be published of an address.
@Suite("Secrets in guids") struct AddressSecretsTests {
  @Test(arguments: [
    "https://user:pw@example.org/1", "https://user@example.org/1", "user:pw@example.org/1",
    "https://example.org/1?token=abc", "https://example.org/1?auth=12", "auth=xyz",
    "https://example.org/1?x=9f8a7b6c5d", "https://example.org/?3fa85f64",
    "https://example.org/a?p=1&Access_Token=1", "https://example.org/a;session=1",
    "https://example.org/r?u=https%3A%2F%2Fuser%3Apw%40example.com%2F1",
    "https://example.org/r%253Ftoken%253Dabc", "https://example.org/key=abc/1",
    "see https://user:pw@example.org/1 there",
  ])
  func `a text with a secret`(text: String) { #expect(AddressSecrets.mayBe(in: text)) }

  @Test(arguments: [
    "tag:example.org,2020:1", "urn:uuid:3fa85f64-5717-4562-b3fc-2c963f66afa6", "1234", "",
    "https://example.org/?p=123", "https://example.org/?post_type=podcast&p=123",
    "https://example.org/3fa85f64-5717-4562-b3fc-2c963f66afa6.mp3", "https://example.org/1#token",
    "What is love?", "100%", "a=b", "12345@example.org", "https://example.org:8080/a%20b",
  ])
  func `a text without one`(text: String) { #expect(!AddressSecrets.mayBe(in: text)) }

  @Test(arguments: [
    "token=7", "uid=7", "page=1&hash=7", "X-Amz-Credential=7", "Key-Pair-Id=7", "member_id=7",
    "0123456789abcdef", "x=0123456789abcdef", "a=1&amp;auth=2",
  ])
  func `a query with a secret`(query: String) { #expect(AddressSecrets.areLikely(in: query)) }

  @Test(arguments: ["", "page=1&format=mp3", "guid=12", "show=my-podcast", "aside=1", "token="])
  func `a query without one`(query: String) { #expect(!AddressSecrets.areLikely(in: query)) }
}

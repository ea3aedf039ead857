import Testing

@testable import PodcastTransfer

@Suite("Transfers that few file descriptors allow") struct DescriptorLimitTests {
  @Test(
    "jobs by the request and the limit",
    arguments: [
      (4, 1024, 4), (100, 1024, 100), (256, 1024, 164), (100, 256, 36), (4, 64, 4), (100, 64, 4),
      (4, 46, 1), (4, 40, 1), (4, 16, 1), (4, 0, 1), (4, -1, 1), (256, .max, 256), (1, .min, 1),
    ])
  func jobs(wanted: Int, limit: Int, allowed: Int) {
    #expect(DescriptorLimit.jobs(wanted, limit: limit) == allowed)
  }
}

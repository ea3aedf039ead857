import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import PodcastTransfer

@Suite("The checksum of a part file, computed while it is written") struct PartDigestTests {
  private let folder: TemporaryFolder
  private let part: PartFile
  private let disk = DiskPool(threads: 3)

  init() throws {
    folder = try TemporaryFolder()
    let open = try OpenFile.folder(folder.path, creating: false)
    part = try #require(try PartFile.open("a.part", in: open))
  }

  /// Writes bytes as a download does, and hands each block on.
  private func write(
    _ bytes: [UInt8], at start: Int64 = 0, _ digest: PartDigest, _ blocks: BlockPool
  ) throws -> (kept: Int, all: Int) {
    var (offset, kept, all) = (start, 0, 0)
    for piece in stride(from: 0, to: bytes.count, by: Block.size) {
      let block = blocks.take()
      let data = Array(bytes[piece..<min(piece + Block.size, bytes.count)])
      data.withUnsafeBytes {
        if let first = $0.baseAddress { block.base.copyMemory(from: first, byteCount: $0.count) }
      }
      try part.write(block.bytes(data.count), at: offset)
      all += 1
      if digest.add(block, count: data.count, at: offset) {
        kept += 1
      } else {
        blocks.release(block)
      }
      offset += Int64(data.count)
    }
    return (kept, all)
  }

  private func reference() throws -> String? { try part.sha256() }

  @Test("it is that of the file, also if more blocks come than can wait")
  func many() throws {
    let blocks = BlockPool(writers: 1)
    let digest = PartDigest(PrefixDigest(), of: part, disk: DiskPool(threads: 1), blocks: blocks)
    let bytes = MP3Maker.bytes(seed: 1, length: Int64(Block.size * 60 + 17))
    let (kept, all) = try write(bytes, digest, blocks)
    #expect(kept > 0 && all > 60)
    let sum = try digest.finish(Int64(bytes.count)) { false }
    #expect(sum == (try reference()))
  }

  @Test("truncated bytes do not count, whatever waits") func cuts() throws {
    let blocks = BlockPool(writers: 1)
    let digest = PartDigest(PrefixDigest(), of: part, disk: disk, blocks: blocks)
    let first = MP3Maker.bytes(seed: 2, length: Int64(Block.size * 9))
    _ = try write(first, digest, blocks)
    let length = Int64(Block.size * 3 + 5)
    try part.truncate(to: length)
    digest.cut(to: length)
    let rest = MP3Maker.bytes(seed: 3, length: Int64(Block.size * 4))
    _ = try write(rest, at: length, digest, blocks)
    digest.beginProof(of: length + Int64(rest.count))
    let proof = digest.proof(of: length + Int64(rest.count))
    let sum = try digest.finish(length + Int64(rest.count)) { false }
    #expect(sum == (try reference()) && proof?.sha256 == sum)
  }

  @Test("a proof is about what was there when it was begun") func proofs() throws {
    let blocks = BlockPool(writers: 1)
    let digest = PartDigest(PrefixDigest(), of: part, disk: disk, blocks: blocks)
    let bytes = MP3Maker.bytes(seed: 4, length: Int64(Block.size * 2))
    _ = try write(bytes, digest, blocks)
    let sum = try reference()
    digest.beginProof(of: Int64(bytes.count))
    _ = try write(bytes, at: Int64(bytes.count), digest, blocks)
    #expect(digest.proof(of: Int64(bytes.count))?.sha256 == sum)
    #expect(digest.proof(of: 1) == nil)
  }

  @Test("an unfinished digest returns its blocks") func abandoned() throws {
    let blocks = BlockPool(writers: 1)
    for _ in 0..<40 {
      let digest = PartDigest(PrefixDigest(), of: part, disk: disk, blocks: blocks)
      let isKept = digest.add(blocks.take(), count: 1, at: 0)
      #expect(isKept)
    }
  }
}

import Foundation
import PodcastArtwork
import PodcastModel
import TestSupport
import Testing

@testable import PodcastKit

/// The program that decodes images, as podget starts it.
@Suite("Thumbnail decoder", .serialized) struct ThumbnailDecoderTests {
  private let decoder = ThumbnailDecoder(program: BuiltBinary.podget.path, size: 4)

  private func thumbnail(_ bytes: [UInt8]) async throws -> Thumbnail {
    try await decoder.thumbnail(of: Data(bytes))
  }

  /// The error for these bytes.
  private func refusal(_ bytes: [UInt8]) async -> PodgetError? {
    do {
      _ = try await decoder.thumbnail(of: Data(bytes))
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    SampleImages.jpeg, SampleImages.progressive, SampleImages.inks, SampleImages.webp,
    SampleImages.png,
  ])
  func `colors stay in their places`(image: [UInt8]) async throws {
    let thumbnail = try await thumbnail(image)
    #expect(thumbnail.width == 4 && thumbnail.height == 2)
    let channels = thumbnail.hasAlpha ? 4 : 3
    let corners = [0, 3, 4, 7].map { Array(thumbnail.pixels[$0 * channels..<$0 * channels + 3]) }
    for (corner, expected) in zip(
      corners, [[255, 255, 0], [0, 255, 0], [255, 0, 0], [0, 0, 0]])
    {
      for (value, wanted) in zip(corner, expected) {
        #expect(abs(Int(value) - wanted) < 8, "\(corners)")
      }
    }
  }

  @Test func `shades of grey are equal parts of each color`() async throws {
    let pixels = try await thumbnail(SampleImages.grey).pixels
    #expect(pixels[0] == pixels[1] && pixels[1] == pixels[2])
    #expect(pixels[0] > pixels[9])
  }

  @Test func `transparency is kept`() async throws {
    let thumbnail = try await thumbnail(SampleImages.lossless)
    #expect(thumbnail.hasAlpha)
    #expect(thumbnail.pixels[3] == 255 && thumbnail.pixels[15] == 0)
  }

  @Test func `a large image travels through the pipe both ways`() async throws {
    var noise = SystemRandomNumberGenerator()
    let image = TestPNG.bytes(width: 700, height: 700) { _, _ in
      withUnsafeBytes(of: UInt32.random(in: 0...(.max), using: &noise), Array.init)
    }
    let decoder = ThumbnailDecoder(program: BuiltBinary.podget.path, size: 700)
    let thumbnail = try await decoder.thumbnail(of: Data(image))
    #expect(thumbnail.width == 700 && thumbnail.pixels.count == 700 * 700 * 4)
  }

  @Test func `what is kept of an image is small, and looks the same`() async throws {
    // Lines, edges and colors, as covers have them, with some noise.
    var noise = SeededGenerator(seed: 3)
    let image = TestPNG.bytes(width: 600, height: 600) { x, y in
      let edge = (x / 37 + y / 53) % 2 == 0 ? 60 : 0
      let grain = Int.random(in: 0..<24, using: &noise)
      return [
        UInt8(x / 4 + edge + grain / 2), UInt8(y / 4 + grain), UInt8((x + y) / 8 + edge), 255,
      ]
    }
    let decoder = ThumbnailDecoder(program: BuiltBinary.podget.path)
    let kept = try await decoder.keptThumbnail(of: Data(image))
    #expect((100..<32_000).contains(kept.file.count), "\(kept.file.count)")
    let again = try await decoder.thumbnail(of: Data(kept.file))
    #expect(again.width == 300 && again.height == 300)
    let channels = kept.thumbnail.hasAlpha ? 4 : 3
    var difference = 0
    for pixel in 0..<90_000 {
      let (before, after) = (pixel * channels, pixel * (again.hasAlpha ? 4 : 3))
      for color in 0..<3 {
        difference += abs(
          Int(kept.thumbnail.pixels[before + color]) - Int(again.pixels[after + color]))
      }
    }
    #expect(difference / 270_000 < 6, "\(difference / 270_000)")
    // Transparency is kept too.
    let half = try await decoder.keptThumbnail(of: Data(SampleImages.lossless))
    let halfAgain = try await decoder.thumbnail(of: Data(half.file))
    #expect(halfAgain.hasAlpha && halfAgain.pixels[3] == 255)
  }

  @Test(arguments: [
    ("GIF89a", ImageRefusal.gif), ("<svg/>", .markup), ("????ftypheic", .isoMedia),
    ("hello", .unknownFormat), ("", .empty),
  ])
  func `other formats are refused`(start: String, refusal: ImageRefusal) async {
    let error = await self.refusal(Array(start.utf8))
    #expect(error?.code == .decoding)
    #expect(error?.message.contains(refusal.explanation) == true, "\(error as Any)")
  }

  @Test func `animations, bombs and damaged images are refused`() async {
    let bomb = TestPNG.bytes(width: 30_000, height: 30_000, compressed: [0x78, 0x9C])
    let cut = SampleImages.png.dropLast(1000)
    for (image, refusal) in [
      (SampleImages.animated, ImageRefusal.animated), (bomb, .tooManyPixels),
      (Array(cut), .damaged), (Array(SampleImages.webp.dropLast(20)), .damaged),
      (Array(SampleImages.jpeg.prefix(30)), .damaged),
      (Array(repeating: 0xFF, count: ImageLimits.bytes + 1), .tooManyBytes),
    ] {
      let error = await self.refusal(image)
      #expect(error?.message.contains(refusal.explanation) == true, "\(error as Any)")
    }
  }

  @Test func `an image that promises more than it has ends with an error`() async {
    // All rows are missing, and the decoder must not wait for them.
    let hollow = TestPNG.bytes(width: 6000, height: 6000, compressed: [0x78, 0x01])
    #expect(await refusal(hollow)?.code == .decoding)
  }

  @Test(arguments: [false, true])
  func `a written PNG is read as the same thumbnail`(hasAlpha: Bool) async throws {
    // More than one stored block; every pixel is opaque, so no color is lost.
    let pixels = (0..<200 * 150).flatMap { place -> [UInt8] in
      [UInt8(truncatingIfNeeded: place), UInt8(truncatingIfNeeded: place >> 4), 7]
        + (hasAlpha ? [255] : [])
    }
    let thumbnail = try #require(
      Thumbnail(width: 200, height: 150, hasAlpha: hasAlpha, pixels: pixels))
    let decoder = ThumbnailDecoder(program: BuiltBinary.podget.path)
    #expect(try await decoder.thumbnail(of: Data(thumbnail.png)) == thumbnail)
  }

  @Test(arguments: [
    ("exit 3", "decoder failed (3)"), ("kill -SEGV $$", "crashed (signal 11)"),
    ("kill -XCPU $$", "takes too long"), ("cat", "wrote no thumbnail"),
    ("cat /dev/zero", "takes too long"),
  ])
  func `a program that misbehaves is an error`(script: String, sentence: String) async throws {
    let folder = try TemporaryFolder()
    let program = try folder.writeProgram("decoder", "#!/bin/sh\n\(script)\n")
    let decoder = ThumbnailDecoder(program: program)
    await #expect {
      try await decoder.thumbnail(of: Data(SampleImages.jpeg))
    } throws: {
      ($0 as? PodgetError)?.message.contains(sentence) == true
    }
  }

  @Test func `a program that hangs is ended at the deadline`() async throws {
    let folder = try TemporaryFolder()
    let program = try folder.writeProgram("decoder", "#!/bin/sh\nexec sleep 1000\n")
    let decoder = ThumbnailDecoder(program: program, deadline: .milliseconds(50))
    // More than fits into a pipe: writing must not block either.
    await #expect {
      try await decoder.thumbnail(of: Data(count: 4 << 20))
    } throws: {
      ($0 as? PodgetError)?.message.contains("takes too long") == true
    }
  }

  @Test func `cancelling ends the program`() async throws {
    let folder = try TemporaryFolder()
    let program = try folder.writeProgram(
      "decoder", "#!/bin/sh\necho $$ > \(folder.path)/process\nexec sleep 1000\n")
    let decoder = ThumbnailDecoder(program: program, deadline: .seconds(900))
    let task = Task { try await decoder.thumbnail(of: Data(SampleImages.jpeg)) }
    try await waitUntil("the program runs") {
      (try? folder.read("process"))?.last == UInt8(ascii: "\n")
    }
    task.cancel()
    await #expect(throws: PodgetError.self) { try await task.value }
    let text = String(decoding: try folder.read("process"), as: UTF8.self)
    let process = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(kill(process, 0) == -1)
  }

  @Test func `a missing program is an error that names it`() async {
    let decoder = ThumbnailDecoder(program: "/nowhere/podget-thumbnail")
    await #expect {
      try await decoder.thumbnail(of: Data(SampleImages.jpeg))
    } throws: {
      let error = $0 as? PodgetError
      return error?.code == .disk && error?.message.contains("/nowhere/podget-thumbnail") == true
    }
  }

  @Test func `the program keeps nothing that it does not need`() async throws {
    let process = Process()
    process.executableURL = URL(filePath: BuiltBinary.podget.path)
    process.arguments = [Thumbnail.argument, "300"]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let proc = "/proc/\(process.processIdentifier)"
    func limits() -> [[Substring]] {
      ((try? String(contentsOfFile: "\(proc)/limits", encoding: .utf8)) ?? "")
        .split(separator: "\n").map { $0.split(separator: " ") }
    }
    // The last one that it sets.
    try await waitUntil("the limits are set") {
      limits().contains { $0.starts(with: ["Max", "cpu", "time", "5", "6"]) }
    }
    for limit in [
      ["Max", "address", "space", "268435456", "268435456"],
      ["Max", "core", "file", "size", "0", "0"],
    ] {
      #expect(limits().contains { $0.starts(with: limit.map { Substring($0) }) }, "\(limit)")
    }
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "\(proc)/fd").sorted()
    #expect(descriptors == ["0", "1", "2"])
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == ImageRefusal.empty.rawValue)
  }

  @Test func `wrong arguments are refused`() async throws {
    for arguments in [[], ["0"], ["1025"], ["x"], ["1", "2"], ["1", "keep", "2"]] {
      let result = try await RunningProcess(.podget, [Thumbnail.argument] + arguments)
        .waitForExit()
      #expect(result.status == .exited(64) && result.output.isEmpty)
    }
  }
}

internal import PodcastModel

/// Where the attributes of one tag are kept while its element begins.
final class AttributeStorage {
  private let all = UnsafeMutableBufferPointer<ElementAttributes.Attribute>.allocate(
    capacity: MarkupTag.maximumAttributes)
  /// Values that are not lent as they were read.
  private var values = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)

  deinit {
    all.deallocate()
    values.deallocate()
  }

  /// The attributes of a tag, each name once, as long as no other tag's are asked for.
  ///
  /// - Parameter place: where the tag begins in the document.
  func attributes(of tag: MarkupTag, at place: Int) -> ElementAttributes {
    if values.count < tag.bytes.count {
      values.deallocate()
      values = .allocate(capacity: max(tag.bytes.count, 4096))
    }
    var count = 0
    var room = 0
    tag.forEachAttribute { attribute in
      guard count < all.count else { return }
      let name = UnsafeBufferPointer(rebasing: tag.bytes[attribute.name])
      guard !all[..<count].contains(where: { MarkupName.isSame($0.name, name) }) else { return }
      var value = UnsafeBufferPointer(rebasing: tag.bytes[attribute.value])
      if !attribute.isPlain { value = decoded(value, &room) }
      all.initializeElement(
        at: count,
        to: ElementAttributes.Attribute(
          name: name, value: value, place: place + 1 + attribute.name.lowerBound))
      count += 1
    }
    return ElementAttributes(all: UnsafeBufferPointer(rebasing: all[..<count]), place: place)
  }

  /// A value with its references replaced, and a space for each line end and tab (XML 1.0, section
  /// 3.3.3). It is never longer than it was.
  private func decoded(
    _ value: UnsafeBufferPointer<UInt8>, _ room: inout Int
  ) -> UnsafeBufferPointer<UInt8> {
    let start = room
    var index = 0
    while index < value.count, room < values.count {
      let byte = value[index]
      if byte == UInt8(ascii: "&") {
        let (scalar, end) = CharacterReference.read(value, at: index)
        if let scalar {
          if CharacterReference.isPermitted(scalar) { append(scalar, &room) }
          index = end
          continue
        }
      }
      index += byte == 0x0D && index + 1 < value.count && value[index + 1] == 0x0A ? 2 : 1
      values[room] = MarkupTag.isSpace(byte) ? 0x20 : byte
      room += 1
    }
    return UnsafeBufferPointer(rebasing: values[start..<room])
  }

  private func append(_ scalar: UInt32, _ room: inout Int) {
    for byte in (Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8 where room < values.count {
      values[room] = byte
      room += 1
    }
  }
}

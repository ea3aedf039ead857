#include <taglib/oggfile.h>

#include "Comments.h"

namespace {

/// The packets of an Ogg file; TagLib writes pages, and nothing else of it is used.
class Packets : public TagLib::Ogg::File {
public:
  explicit Packets(Stream &stream) : TagLib::Ogg::File(&stream) {}
  TagLib::Tag *tag() const override { return nullptr; }
  TagLib::AudioProperties *audioProperties() const override { return nullptr; }

  std::string bytes(unsigned number) {
    TagLib::ByteVector bytes = packet(number);
    return std::string(bytes.data(), bytes.size());
  }
};

Result tagOgg(
    Stream &stream, const Request &request, const std::string &head, const std::string &start) {
  Result result;
  Packets packets(stream);
  if (packets.bytes(0).compare(0, head.size(), head) != 0) return result;
  std::string packet = packets.bytes(1);
  if (packet.size() > mostTagBytes || packet.compare(0, start.size(), start) != 0) return result;
  Comments comments;
  size_t end = start.size();
  if (!comments.take(packet, end)) return result;
  result.status = done;
  result.before = comments.parts();
  // The framing bit, and whatever an encoder has put there.
  std::string rest = packet.substr(end);
  result.before.push_back("rest " + rest);
  bool hasPicture = comments.has("METADATA_BLOCK_PICTURE") || comments.has("COVERART");
  comments.addMissing(request, result);
  if (!request.picture.empty() && !hasPicture) {
    std::string block = pictureBlock(request);
    TagLib::ByteVector text =
        TagLib::ByteVector(block.data(), static_cast<unsigned int>(block.size())).toBase64();
    comments.fields.push_back(
        "METADATA_BLOCK_PICTURE=" + std::string(text.data(), text.size()));
    result.note("artwork");
  }
  if (!result.isToWrite(request)) return result;
  std::string bytes = start + comments.bytes() + rest;
  packets.setPacket(
      1, TagLib::ByteVector(bytes.data(), static_cast<unsigned int>(bytes.size())));
  if (!packets.save()) result.status = failed;
  return result;
}

}  // namespace

Result tagVorbis(Stream &stream, const Request &request) {
  return tagOgg(stream, request, "\1vorbis", "\3vorbis");
}

Result tagOpus(Stream &stream, const Request &request) {
  return tagOgg(stream, request, "OpusHead", "OpusTags");
}

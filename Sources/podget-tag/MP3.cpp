#include <set>

#include <taglib/tstring.h>

#include "Bytes.h"
#include "Tagging.h"

namespace {

const size_t headerSize = 10;
/// How much a tag may grow later without moving the audio.
const size_t padding = 1024;
/// An ID3 tag has its length in 28 bits.
const size_t largestTag = (1 << 28) - 1;
/// A table of contents has its count in one byte.
const size_t mostChapters = 255;
/// The footer of a tag at the end, which may be before the one of version 1.
const size_t footerSize = 10, oldTagSize = 128;

/// An ID3v2 tag as it is in the file: this adds frames and never writes one again that is there.
struct Tag {
  unsigned version = 4;
  /// The length with its header; 0 for none.
  size_t size = 0;
  std::vector<std::string> frames;
  std::set<std::string> names;

  bool has(const char *name) const { return names.count(name) > 0; }
};

/// A number in 28 bits, seven a byte; false if it is none.
bool takeSize(const std::string &bytes, size_t place, size_t &size) {
  size = 0;
  for (size_t i = 0; i < 4; i++) {
    if (bytes[place + i] & 0x80) return false;
    size = size << 7 | size_t(bytes[place + i]);
  }
  return true;
}

std::string sevenBits(size_t size) {
  std::string bytes;
  for (int shift = 21; shift >= 0; shift -= 7) bytes += char(size >> shift & 0x7F);
  return bytes;
}

bool isName(const std::string &bytes, size_t place) {
  for (size_t i = place; i < place + 4; i++)
    if (!(bytes[i] >= 'A' && bytes[i] <= 'Z') && !(bytes[i] >= '0' && bytes[i] <= '9')) return false;
  return true;
}

/// Takes the frames of a tag to its end or to its padding.
Status takeFrames(const std::string &body, Tag &tag) {
  size_t place = 0;
  while (place < body.size() && body[place] != '\0') {
    if (body.size() - place < headerSize || !isName(body, place)) return unreadable;
    size_t size = size_t(bigEndian(body, place + 4));
    // iTunes once wrote all bits of a length in version 4 too; then frames have no sure end.
    if (tag.version == 4 && !takeSize(body, place + 4, size)) return odd;
    if (size > body.size() - place - headerSize) return unreadable;
    tag.names.insert(body.substr(place, 4));
    tag.frames.push_back(body.substr(place, headerSize + size));
    place += headerSize + size;
  }
  return body.find_first_not_of('\0', place) == std::string::npos ? done : unreadable;
}

Status readTag(Stream &stream, Tag &tag) {
  for (size_t distance : {footerSize, footerSize + oldTagSize})
    if (stream.bytes(stream.length() - off_t(distance), 3) == "3DI") return odd;
  std::string header = stream.bytes(0, headerSize);
  if (header.compare(0, 3, "ID3") != 0) return done;
  size_t size;
  if (header.size() < headerSize || !takeSize(header, 6, size)) return unreadable;
  tag.version = uint8_t(header[3]);
  // Without unsynchronisation, an extended header and a footer, which no flag means.
  if ((tag.version != 3 && tag.version != 4) || header[5] != 0 || size > mostTagBytes) return odd;
  tag.size = headerSize + size;
  std::string body = stream.bytes(headerSize, size);
  if (body.size() != size) return unreadable;
  // Readers differ in which tag of several they believe.
  if (stream.bytes(off_t(tag.size), 3) == "ID3") return odd;
  return takeFrames(body, tag);
}

/// Makes frames in the version of a tag, and notes the names of what is added.
struct Additions {
  const Tag &tag;
  Result &result;
  std::vector<std::string> frames;

  std::string frame(const char *name, const std::string &content) const {
    uint32_t size = uint32_t(content.size());
    return name + (tag.version == 3 ? bigEndian(size) : sevenBits(size)) + std::string(2, '\0') +
           content;
  }

  static bool isASCII(const std::string &text) {
    for (char byte : text)
      if (byte & 0x80) return false;
    return true;
  }

  /// The number of a text's encoding: version 3 has no UTF-8.
  char encoding(const std::string &text) const {
    return tag.version == 4 ? 3 : isASCII(text) ? 0 : 1;
  }

  std::string encoded(const std::string &text, char encoding) const {
    if (encoding != 1) return text;
    TagLib::ByteVector bytes =
        TagLib::String(text, TagLib::String::UTF8).data(TagLib::String::UTF16);
    return std::string(bytes.data(), bytes.size());
  }

  std::string textFrame(const char *name, const std::string &text) const {
    char number = encoding(text);
    return frame(name, number + encoded(text, number));
  }

  void add(const char *name, const std::string &frame) {
    frames.push_back(frame);
    result.note(name);
  }

  void addText(const char *id, const char *name, const std::string &value) {
    if (!value.empty() && !tag.has(id)) add(name, textFrame(id, value));
  }

  void addDate(const Request &request) {
    if (request.date.size() < 16) return;
    for (const char *id : {"TDRC", "TYER", "TDAT", "TIME"})
      if (tag.has(id)) return;
    if (tag.version == 4) return addText("TDRC", "date", request.moment());
    const std::string &date = request.date;
    addText("TYER", "date", date.substr(0, 4));
    addText("TDAT", "date", date.substr(8, 2) + date.substr(5, 2));
    addText("TIME", "date", date.substr(11, 2) + date.substr(14, 2));
  }

  void addDescription(const std::string &text) {
    if (text.empty()) return;
    if (!tag.has("COMM")) {
      char number = encoding(text);
      // No language, and an empty name.
      std::string name = number == 1 ? std::string("\xFF\xFE\0\0", 4) : std::string(1, '\0');
      add("description", frame("COMM", number + ("XXX" + name) + encoded(text, number)));
    }
    addText("TDES", "description", text);
  }

  void addPodcastFrames(const Request &request) {
    addText("TGID", "guid", request.guid);
    // It is a text in spite of its name, but some readers expect an address without an encoding.
    if (!request.feed.empty() && !tag.has("WFED"))
      add("feed", isASCII(request.feed) ? frame("WFED", '\0' + request.feed)
                                        : textFrame("WFED", request.feed));
    if (!request.page.empty() && isASCII(request.page) && !tag.has("WOAF"))
      add("page", frame("WOAF", request.page));
    if (!tag.has("PCST")) add("kind", frame("PCST", std::string(4, '\0')));
  }

  void addPicture(const Request &request) {
    if (request.picture.empty() || tag.has("APIC")) return;
    // A cover, without a description.
    std::string start = '\0' + request.pictureType + std::string("\0\3\0", 3);
    add("artwork", frame("APIC", start + request.picture));
  }

  void addChapters(const Request &request) {
    if (request.chapters.empty() || tag.has("CHAP") || tag.has("CTOC")) return;
    // Players show chapters only with one top-level table, whose order counts.
    std::string table = std::string("toc\0\3", 5) + char(request.chapters.size());
    std::string all;
    unsigned count = 0;
    for (const Chapter &chapter : request.chapters) {
      std::string id = "ch" + std::to_string(count++) + '\0';
      table += id;
      all += frame(
          "CHAP", id + bigEndian(chapter.start) + bigEndian(chapter.end) +
                      std::string(8, '\xFF') + textFrame("TIT2", chapter.title));
    }
    add("chapters", frame("CTOC", table) + all);
  }

  void addAll(const Request &request) {
    addText("TIT2", "title", request.title);
    addText("TALB", "podcast", request.podcast);
    addText("TPE1", "author", request.artist());
    addText("TPE2", "author", request.author);
    addDate(request);
    if (request.number > 0) addText("TRCK", "number", std::to_string(request.number));
    if (request.season > 0) addText("TPOS", "season", std::to_string(request.season));
    addText("TCON", "genre", "Podcast");
    addDescription(request.description);
    addPodcastFrames(request);
    addPicture(request);
    addChapters(request);
  }
};

/// The tag with the new frames first: some readers stop at an empty frame, which old files have.
std::string render(const Tag &tag, const std::vector<std::string> &added) {
  std::string body;
  for (const std::string &frame : added) body += frame;
  for (const std::string &frame : tag.frames) body += frame;
  size_t room = tag.size < headerSize ? 0 : tag.size - headerSize;
  body.resize(body.size() <= room ? room : body.size() + padding);
  std::string header = "ID3" + std::string(1, char(tag.version)) + std::string(2, '\0');
  return header + sevenBits(body.size()) + body;
}

}  // namespace

Result tagMP3(Stream &stream, const Request &request) {
  Result result;
  Tag tag;
  if (request.chapters.size() > mostChapters) {
    result.status = wrongUsage;
    return result;
  }
  result.status = readTag(stream, tag);
  if (result.status != done) return result;
  result.before = tag.frames;
  Additions additions{tag, result, {}};
  additions.addAll(request);
  if (!result.isToWrite(request)) return result;
  std::string bytes = render(tag, additions.frames);
  if (bytes.size() > largestTag) result.status = odd;
  else if (!stream.replace(bytes, 0, off_t(tag.size))) result.status = failed;
  return result;
}

#include <taglib/mp4coverart.h>
#include <taglib/mp4file.h>
#include <taglib/mp4tag.h>

#include "Boxes.h"

using namespace TagLib;

namespace {

/// The longest short description; the long one has all of it.
const size_t shortDescription = 255;
/// What iTunes calls a podcast.
const unsigned char podcastKind = 21;

String text(const std::string &bytes) { return String(bytes, String::UTF8); }

/// The beginning of a text in UTF-8, which ends with a complete character.
std::string beginning(const std::string &value, size_t bytes) {
  if (value.size() <= bytes) return value;
  while (bytes > 0 && (value[bytes] & 0xC0) == 0x80) bytes--;
  return value.substr(0, bytes);
}

/// Adds to a tag in memory, and notes the names of what is added.
struct Additions {
  MP4::Tag &tag;
  /// What the file has: TagLib passes over items that it does not understand.
  const std::set<std::string> &present;
  Result &result;

  void add(const char *key, const char *name, const MP4::Item &item) {
    if (tag.contains(key) || present.count(key) > 0) return;
    tag.setItem(key, item);
    result.note(name);
  }

  void addText(const char *key, const char *name, const std::string &value) {
    if (!value.empty()) add(key, name, MP4::Item(StringList(text(value))));
  }
};

}  // namespace

Result tagMP4(Stream &stream, const Request &request) {
  Result result;
  Boxes boxes;
  result.status = boxes.read(stream);
  if (result.status != done) return result;
  result.before = boxes.parts;
  result.status = unreadable;
  MP4::File file(&stream, false);
  if (!file.isValid() || file.tag() == nullptr) return result;
  MP4::Tag &tag = *file.tag();
  for (const std::string &name : boxes.tags) {
    // TagLib would leave out what it has not understood.
    if (name != "----" && !tag.contains(String(name, String::Latin1))) {
      result.status = loses;
      return result;
    }
  }
  Additions additions{tag, boxes.tags, result};
  additions.addText("\251nam", "title", request.title);
  additions.addText("\251alb", "podcast", request.podcast);
  additions.addText("\251ART", "author", request.artist());
  additions.addText("aART", "author", request.author);
  additions.addText("\251day", "date", request.date);
  if (request.number > 0) additions.add("trkn", "number", MP4::Item(int(request.number), 0));
  if (request.season > 0) additions.add("disk", "season", MP4::Item(int(request.season), 0));
  additions.addText("\251gen", "genre", "Podcast");
  additions.addText("desc", "description", beginning(request.description, shortDescription));
  additions.addText("ldes", "description", request.description);
  additions.addText("egid", "guid", request.guid);
  additions.addText("purl", "feed", request.feed);
  additions.add("pcst", "kind", MP4::Item(true));
  additions.add("stik", "kind", MP4::Item(podcastKind));
  if (!request.picture.empty()) {
    auto format =
        request.pictureType == "image/png" ? MP4::CoverArt::PNG : MP4::CoverArt::JPEG;
    ByteVector bytes(request.picture.data(), unsigned(request.picture.size()));
    MP4::CoverArtList covers;
    covers.append(MP4::CoverArt(format, bytes));
    additions.add("covr", "artwork", MP4::Item(covers));
  }
  result.status = done;
  if (!result.isToWrite(request)) return result;
  if (!file.save()) result.status = failed;
  return result;
}

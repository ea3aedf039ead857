#include "Comments.h"

#include <cstdio>
#include <strings.h>

#include "Bytes.h"

namespace {

/// The number of a chapter has three digits.
const size_t mostChapters = 999;

/// Takes a text behind its length.
bool takeText(const std::string &bytes, size_t &place, std::string &text) {
  if (bytes.size() - place < 4) return false;
  size_t length = littleEndian(bytes, place);
  place += 4;
  if (length > bytes.size() - place) return false;
  text = bytes.substr(place, length);
  place += length;
  return true;
}

std::string withLength(const std::string &text) {
  return littleEndian(uint32_t(text.size())) + text;
}

/// The time of a chapter, as 00:01:02.345.
std::string time(uint32_t milliseconds) {
  char text[32];
  uint32_t seconds = milliseconds / 1000;
  snprintf(
      text, sizeof text, "%02u:%02u:%02u.%03u", seconds / 3600, seconds / 60 % 60, seconds % 60,
      milliseconds % 1000);
  return text;
}

}  // namespace

bool Comments::take(const std::string &bytes, size_t &place) {
  if (place > bytes.size() || !takeText(bytes, place, vendor)) return false;
  if (bytes.size() - place < 4) return false;
  size_t count = littleEndian(bytes, place);
  place += 4;
  std::string field;
  for (size_t i = 0; i < count; i++) {
    if (!takeText(bytes, place, field)) return false;
    fields.push_back(field);
  }
  return true;
}

std::string Comments::bytes() const {
  std::string bytes = withLength(vendor) + littleEndian(uint32_t(fields.size()));
  for (const std::string &field : fields) bytes += withLength(field);
  return bytes;
}

bool Comments::has(const char *name) const {
  std::string start = std::string(name) + "=";
  return hasAny(start.c_str());
}

bool Comments::hasAny(const char *beginning) const {
  std::string start = beginning;
  for (const std::string &field : fields)
    if (field.size() >= start.size() && !strncasecmp(field.data(), beginning, start.size()))
      return true;
  return false;
}

std::vector<std::string> Comments::parts() const {
  std::vector<std::string> parts = fields;
  parts.push_back("vendor " + vendor);
  return parts;
}

void Comments::add(
    const char *field, const char *name, const std::string &value, Result &result) {
  if (value.empty() || has(field)) return;
  fields.push_back(std::string(field) + "=" + value);
  result.note(name);
}

void Comments::addChapters(const Request &request, Result &result) {
  if (request.chapters.size() > mostChapters || hasAny("CHAPTER")) return;
  unsigned count = 0;
  for (const Chapter &chapter : request.chapters) {
    char name[32];
    snprintf(name, sizeof name, "CHAPTER%03u", ++count);
    add(name, "chapters", time(chapter.start), result);
    add((std::string(name) + "NAME").c_str(), "chapters", chapter.title, result);
  }
}

void Comments::addMissing(const Request &request, Result &result) {
  add("TITLE", "title", request.title, result);
  add("ALBUM", "podcast", request.podcast, result);
  add("ARTIST", "author", request.artist(), result);
  add("ALBUMARTIST", "author", request.author, result);
  add("DATE", "date", request.day(), result);
  if (request.number > 0) add("TRACKNUMBER", "number", std::to_string(request.number), result);
  if (request.season > 0) add("DISCNUMBER", "season", std::to_string(request.season), result);
  add("GENRE", "genre", "Podcast", result);
  add("DESCRIPTION", "description", request.description, result);
  // There is no standard for these; the names are those of Mp3tag.
  add("PODCASTID", "guid", request.guid, result);
  add("PODCASTURL", "feed", request.feed, result);
  add("PODCAST", "kind", "1", result);
  addChapters(request, result);
}

std::string pictureBlock(const Request &request) {
  const uint32_t frontCover = 3;
  // No description; the size and the colours are unknown.
  return bigEndian(frontCover) + bigEndian(uint32_t(request.pictureType.size())) +
         request.pictureType + std::string(5 * 4, '\0') +
         bigEndian(uint32_t(request.picture.size())) + request.picture;
}

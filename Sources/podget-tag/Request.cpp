#include "Request.h"

#include <cerrno>
#include <unistd.h>

#include "Bytes.h"

namespace {

const std::string firstLine = "podget-tag 1\n";
/// The most bytes of a request: a picture, and texts.
const size_t mostBytes = 16 << 20;
const size_t mostChapters = 999;
const unsigned largestNumber = 1000000;

bool readAll(int descriptor, std::string &bytes) {
  char block[65536];
  for (;;) {
    ssize_t count = read(descriptor, block, sizeof block);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    if (count == 0) return true;
    bytes.append(block, size_t(count));
    if (bytes.size() > mostBytes) return false;
  }
}

/// A text without NUL, which would end it early in a file.
bool isText(const std::string &bytes) { return bytes.find('\0') == std::string::npos; }

bool takeNumber(const std::string &bytes, unsigned &value) {
  if (bytes.size() != 4) return false;
  value = unsigned(bigEndian(bytes, 0));
  return value <= largestNumber;
}

bool takeChapter(const std::string &bytes, Request &request) {
  if (bytes.size() <= 8 || request.chapters.size() >= mostChapters) return false;
  Chapter chapter{uint32_t(bigEndian(bytes, 0)), uint32_t(bigEndian(bytes, 4)), bytes.substr(8)};
  if (chapter.end < chapter.start || !isText(chapter.title)) return false;
  request.chapters.push_back(chapter);
  return true;
}

bool takePicture(const std::string &bytes, Request &request) {
  size_t end = bytes.find('\n');
  if (end == std::string::npos) return false;
  request.pictureType = bytes.substr(0, end);
  request.picture = bytes.substr(end + 1);
  return request.pictureType == "image/jpeg" || request.pictureType == "image/png";
}

bool take(char letter, const std::string &bytes, Request &request) {
  std::string *text = nullptr;
  switch (letter) {
    case 'w': request.writes = true; return bytes.empty();
    case 'k': text = &request.kind; break;
    case 't': text = &request.title; break;
    case 'p': text = &request.podcast; break;
    case 'a': text = &request.author; break;
    case 'd': text = &request.date; break;
    case 'n': return takeNumber(bytes, request.number);
    case 's': return takeNumber(bytes, request.season);
    case 'e': text = &request.description; break;
    case 'g': text = &request.guid; break;
    case 'f': text = &request.feed; break;
    case 'l': text = &request.page; break;
    case 'c': return takeChapter(bytes, request);
    case 'i': return takePicture(bytes, request);
    default: return false;
  }
  *text = bytes;
  return isText(bytes);
}

}  // namespace

bool readRequest(int descriptor, Request &request) {
  std::string bytes;
  if (!readAll(descriptor, bytes)) return false;
  if (bytes.compare(0, firstLine.size(), firstLine) != 0) return false;
  size_t place = firstLine.size();
  while (bytes.size() - place >= 5) {
    char letter = bytes[place];
    size_t length = size_t(bigEndian(bytes, place + 1));
    place += 5;
    if (length > bytes.size() - place) return false;
    if (letter == '.') return length == 0 && place == bytes.size();
    if (!take(letter, bytes.substr(place, length), request)) return false;
    place += length;
  }
  return false;
}

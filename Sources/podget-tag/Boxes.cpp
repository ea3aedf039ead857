#include "Boxes.h"

#include "Bytes.h"

namespace {

const size_t mostBoxes = 1 << 20;
const unsigned deepest = 8;
const std::string tagPath = "/moov/udta/meta/ilst";

bool isOne(const std::string &type, std::initializer_list<const char *> types) {
  for (const char *other : types)
    if (type == other) return true;
  return false;
}

bool isParent(const std::string &path, const std::string &type) {
  return path + "/" + type == tagPath ||
         isOne(type, {"moov", "trak", "mdia", "minf", "stbl", "udta", "moof", "traf"});
}

}  // namespace

Status Boxes::read(Stream &stream) {
  Status status = walk(stream, 0, stream.length(), "", 0);
  if (status != done) return status;
  // Readers differ in which one of several they believe.
  for (const char *name : {"/moov", "/moov/udta", "/moov/udta/meta", "/moov/udta/meta/ilst"}) {
    size_t found = 0;
    for (const std::string &part : parts)
      if (part == name + std::string("\n")) found++;
    if (found > 1) return odd;
  }
  return done;
}

Status Boxes::walk(
    Stream &stream, off_t start, off_t end, const std::string &path, unsigned depth) {
  while (start < end) {
    std::string header = stream.bytes(start, 16);
    if (end - start < 8) {
      // QuickTime ends lists with zeros.
      return path.empty() || stream.bytes(start, size_t(end - start)).find_first_not_of('\0') !=
                                 std::string::npos
                 ? unreadable
                 : done;
    }
    off_t length = off_t(bigEndian(header, 0)), content = start + 8;
    std::string type = header.substr(4, 4);
    if (length == 0 && path.empty()) length = end - start;
    if (length == 1 && header.size() == 16 && bigEndian(header, 8, 8) <= uint64_t(end - start)) {
      length = off_t(bigEndian(header, 8, 8));
      content = start + 16;
    }
    if (length < content - start || length > end - start) return unreadable;
    if (++count > mostBoxes) return odd;
    // What TagLib does not correct when media move: indexes with their places in the file.
    if (isOne(type, {"tfra", "mfra", "saio"})) return odd;
    off_t next = start + length;
    std::string name = path + "/" + type;
    Status status = done;
    if (path + "/meta" == "/moov/udta/meta" && type == "meta") {
      // QuickTime has no version here.
      off_t version = stream.bytes(content + 4, 4) == "hdlr" ? 0 : 4;
      parts.push_back(name + "\n");
      parts.push_back(name + " " + stream.bytes(content, size_t(version)));
      if (version > next - content) return unreadable;
      status = walk(stream, content + version, next, name, depth + 1);
    } else if (isParent(path, type)) {
      parts.push_back(name + "\n");
      status = depth < deepest ? walk(stream, content, next, name, depth + 1) : odd;
    } else {
      if (path == tagPath && !tags.insert(type).second && type != "----") return odd;
      status = take(stream, content, next, name);
    }
    if (status != done) return status;
    start = next;
  }
  return done;
}

Status Boxes::take(Stream &stream, off_t start, off_t end, const std::string &name) {
  std::string type = name.substr(name.size() - 4);
  if (isOne(type, {"free", "skip"})) return done;
  std::string part = name + " " + std::to_string(end - start) + " ";
  if (!isOne(type, {"mdat", "stco", "co64", "tfhd"})) {
    bytes += size_t(end - start);
    if (end - start > off_t(mostTagBytes) || bytes > mostTagBytes) return odd;
    part += stream.bytes(start, size_t(end - start));
  }
  parts.push_back(part);
  return done;
}

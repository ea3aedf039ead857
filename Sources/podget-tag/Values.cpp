#include <taglib/id3v2framefactory.h>
#include <taglib/id3v2tag.h>
#include <taglib/flacfile.h>
#include <taglib/mp4file.h>
#include <taglib/mpegfile.h>
#include <taglib/opusfile.h>
#include <taglib/tpropertymap.h>
#include <taglib/vorbisfile.h>

#include "Tagging.h"

using namespace TagLib;

struct Values::Content {
  PropertyMap map;
};

namespace {

/// What TagLib reads; nothing of a file that it does not understand.
template <class File>
PropertyMap values(const File &file) {
  return file.isValid() ? file.properties() : PropertyMap();
}

PropertyMap values(Stream &stream, const std::string &kind) {
  auto *factory = ID3v2::FrameFactory::instance();
  if (kind == "mp3") {
    // Not those of other tags, which podget neither reads nor changes.
    MPEG::File file(&stream, factory, false);
    return file.isValid() ? file.ID3v2Tag(true)->properties() : PropertyMap();
  }
  if (kind == "mp4") return values(MP4::File(&stream, false));
  if (kind == "flac") return values(FLAC::File(&stream, factory, false));
  if (kind == "vorbis") return values(Ogg::Vorbis::File(&stream, false));
  if (kind == "opus") return values(Ogg::Opus::File(&stream, false));
  return PropertyMap();
}

}  // namespace

Values::Values(Stream &stream, const Request &request)
    : content(new Content{values(stream, request.kind)}) {}

Values::~Values() { delete content; }

bool Values::areKept(const Values &now) const {
  for (const auto &value : content->map) {
    auto found = now.content->map.find(value.first);
    if (found == now.content->map.end() || found->second != value.second) return false;
  }
  return true;
}

#pragma once

#include <set>
#include <string>
#include <vector>

#include "Tagging.h"

/// The boxes of an MP4 file (ISO/IEC 14496-12) as they are in the file, but for the media and for free
/// room.
struct Boxes {
  /// Each with the boxes that it is in, its type and its bytes. Offsets of media are left out: podget
  /// looks at those.
  std::vector<std::string> parts;
  /// The names of the tags.
  std::set<std::string> tags;

  Status read(Stream &stream);

private:
  Status walk(Stream &stream, off_t start, off_t end, const std::string &path, unsigned depth);
  Status take(Stream &stream, off_t start, off_t end, const std::string &name);

  size_t count = 0;
  size_t bytes = 0;
};

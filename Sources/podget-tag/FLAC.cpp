#include "Bytes.h"
#include "Comments.h"

namespace {

enum Kind { padding = 1, comments = 4, picture = 6, forbidden = 127 };

/// A metadata block (RFC 9639, section 8) without its header.
struct Block {
  int kind;
  std::string content;
};

const char *const marker = "fLaC";
const size_t headerSize = 4;
const size_t largestBlock = (1 << 24) - 1;
const size_t mostBlocks = 10000;
/// How much the blocks may grow later without moving the audio.
const size_t usualPadding = 1024;

/// Takes the blocks up to the audio, which begins at `end`.
Status takeBlocks(Stream &stream, std::vector<Block> &blocks, size_t &end) {
  if (stream.bytes(0, headerSize) != marker) return unreadable;
  end = headerSize;
  for (size_t i = 0; i < mostBlocks; i++) {
    std::string header = stream.bytes(off_t(end), headerSize);
    if (header.size() != headerSize) return unreadable;
    size_t length = size_t(bigEndian(header, 1, 3));
    end += headerSize + length;
    if (end > mostTagBytes) return odd;
    Block block{header[0] & 0x7F, stream.bytes(off_t(end - length), length)};
    if (block.content.size() != length || block.kind == forbidden) return unreadable;
    blocks.push_back(block);
    if (header[0] & 0x80) return done;
  }
  return odd;
}

std::string render(const std::vector<Block> &blocks, size_t room) {
  std::string bytes;
  for (const Block &block : blocks)
    bytes += char(block.kind) + bigEndian(uint32_t(block.content.size()), 3) + block.content;
  size_t used = headerSize + bytes.size() + headerSize;
  size_t rest = used <= room && room - used <= largestBlock ? room - used : usualPadding;
  // The padding is the last block.
  return marker + bytes + char(0x80 | padding) + bigEndian(uint32_t(rest), 3) +
         std::string(rest, '\0');
}

/// Adds comments to those of the file; false if they are damaged.
bool takeComments(std::vector<Block> &blocks, Comments &found, size_t &place) {
  place = blocks.size();
  for (size_t i = 0; i < blocks.size(); i++) {
    if (blocks[i].kind != comments) continue;
    if (place < blocks.size()) return false;
    place = i;
    size_t end = 0;
    if (!found.take(blocks[i].content, end) || end != blocks[i].content.size()) return false;
  }
  return true;
}

}  // namespace

Result tagFLAC(Stream &stream, const Request &request) {
  Result result;
  std::vector<Block> blocks;
  Comments found;
  size_t end, place;
  result.status = takeBlocks(stream, blocks, end);
  if (result.status != done) return result;
  if (!takeComments(blocks, found, place)) {
    result.status = odd;
    return result;
  }
  bool hasComments = place < blocks.size();
  bool hasPicture = found.has("METADATA_BLOCK_PICTURE") || found.has("COVERART");
  std::vector<Block> kept;
  for (const Block &block : blocks) {
    if (block.kind == picture) hasPicture = true;
    if (block.kind == padding) continue;
    if (block.kind == comments) place = kept.size();
    else result.before.push_back("block " + std::to_string(block.kind) + " " + block.content);
    kept.push_back(block);
  }
  if (hasComments) {
    std::vector<std::string> parts = found.parts();
    result.before.insert(result.before.end(), parts.begin(), parts.end());
  } else {
    found.vendor = "podget";
    place = kept.size();
    kept.push_back(Block{comments, ""});
  }
  found.addMissing(request, result);
  kept[place].content = found.bytes();
  if (!request.picture.empty() && !hasPicture) {
    kept.push_back(Block{picture, pictureBlock(request)});
    result.note("artwork");
  }
  if (!result.isToWrite(request)) return result;
  for (const Block &block : kept)
    if (block.content.size() > largestBlock) result.status = odd;
  if (result.status == done && !stream.replace(render(kept, end), 0, off_t(end)))
    result.status = failed;
  return result;
}

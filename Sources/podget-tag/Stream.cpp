#include "Stream.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace {

const off_t blockSize = 1 << 18;

}  // namespace

Stream::Stream(int descriptor, bool writes) : descriptor(descriptor), writes(writes) {
  struct stat status;
  if (fstat(descriptor, &status) == 0) size = status.st_size;
  else failure = errno;
}

size_t Stream::read(char *bytes, size_t count, off_t from) {
  size_t done = 0;
  while (done < count) {
    ssize_t part = pread(descriptor, bytes + done, count - done, from + off_t(done));
    if (part < 0 && errno == EINTR) continue;
    if (part < 0 && failure == 0) failure = errno;
    if (part <= 0) break;
    done += size_t(part);
  }
  return done;
}

bool Stream::write(const char *bytes, size_t count, off_t to) {
  if (!writes || failure != 0) return false;
  for (size_t done = 0; done < count;) {
    ssize_t part = pwrite(descriptor, bytes + done, count - done, to + off_t(done));
    if (part < 0 && errno == EINTR) continue;
    if (part <= 0) {
      failure = part < 0 ? errno : ENOSPC;
      return false;
    }
    done += size_t(part);
  }
  size = std::max(size, to + off_t(count));
  return true;
}

bool Stream::move(off_t from, off_t to, off_t count) {
  std::vector<char> block(size_t(std::min(blockSize, count)));
  for (off_t done = 0; done < count;) {
    off_t part = std::min(blockSize, count - done);
    // Each block is read before something is written over it.
    off_t offset = to > from ? count - done - part : done;
    if (read(block.data(), size_t(part), from + offset) != size_t(part)) return false;
    if (!write(block.data(), size_t(part), to + offset)) return false;
    done += part;
  }
  return true;
}

bool Stream::cut(off_t length) {
  if (!writes || failure != 0) return false;
  if (ftruncate(descriptor, length) != 0) {
    failure = errno;
    return false;
  }
  size = length;
  return true;
}

std::string Stream::bytes(off_t start, size_t count) {
  if (start < 0 || start >= size) return "";
  std::string found(size_t(std::min(off_t(count), size - start)), '\0');
  found.resize(read(&found[0], found.size(), start));
  return found;
}

bool Stream::replace(const std::string &bytes, off_t start, off_t length) {
  if (!writes || failure != 0 || start < 0 || start > size) return false;
  length = std::min(std::max(length, off_t(0)), size - start);
  off_t rest = size - start - length;
  off_t growth = off_t(bytes.size()) - length;
  if (growth > 0) {
    // A full disk is better known before anything moves.
    int number = posix_fallocate(descriptor, size, growth);
    if (number == ENOSPC || number == EDQUOT || number == EFBIG) {
      failure = number;
      return false;
    }
  }
  if (growth != 0 && !move(start + length, start + off_t(bytes.size()), rest)) return false;
  if (growth < 0 && !cut(size + growth)) return false;
  return write(bytes.data(), bytes.size(), start);
}

TagLib::ByteVector Stream::readBlock(unsigned long length) {
  if (place >= size) return TagLib::ByteVector();
  size_t count = size_t(std::min(off_t(std::min(length, 1UL << 30)), size - place));
  TagLib::ByteVector block{static_cast<unsigned int>(count), '\0'};
  block.resize(static_cast<unsigned int>(read(block.data(), count, place)));
  place += off_t(block.size());
  return block;
}

void Stream::writeBlock(const TagLib::ByteVector &data) {
  if (write(data.data(), data.size(), place)) place += off_t(data.size());
}

void Stream::insert(
    const TagLib::ByteVector &data, unsigned long start, unsigned long length) {
  replace(std::string(data.data(), data.size()), off_t(start), off_t(length));
}

void Stream::removeBlock(unsigned long start, unsigned long length) {
  replace("", off_t(start), off_t(length));
}

void Stream::seek(long offset, Position from) {
  off_t base = from == Current ? place : from == End ? size : 0;
  place = std::max(off_t(0), base + off_t(offset));
}

void Stream::truncate(long length) { cut(off_t(length)); }

#pragma once

#include <string>

#include <sys/types.h>

#include <taglib/tbytevector.h>
#include <taglib/tiostream.h>

/// A file by its open descriptor. TagLib's own streams ignore writes that fail; this one notes them.
class Stream : public TagLib::IOStream {
public:
  Stream(int descriptor, bool writes);

  /// The number of the first error; 0 for none.
  int error() const { return failure; }
  /// Up to so many bytes from a place.
  std::string bytes(off_t start, size_t count);
  /// Puts bytes in the place of others; what is behind them moves. False if that failed.
  bool replace(const std::string &bytes, off_t start, off_t length);

  TagLib::FileName name() const override { return TagLib::FileName(""); }
  TagLib::ByteVector readBlock(unsigned long length) override;
  void writeBlock(const TagLib::ByteVector &data) override;
  void insert(
      const TagLib::ByteVector &data, unsigned long start, unsigned long length) override;
  void removeBlock(unsigned long start, unsigned long length) override;
  bool readOnly() const override { return !writes; }
  bool isOpen() const override { return true; }
  void seek(long offset, Position from) override;
  long tell() const override { return long(place); }
  long length() override { return long(size); }
  void truncate(long length) override;

private:
  size_t read(char *bytes, size_t count, off_t from);
  bool write(const char *bytes, size_t count, off_t to);
  /// Moves bytes to another place in the file.
  bool move(off_t from, off_t to, off_t count);
  bool cut(off_t length);

  const int descriptor;
  const bool writes;
  off_t place = 0;
  off_t size = 0;
  int failure = 0;
};

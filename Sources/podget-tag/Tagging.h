#pragma once

#include <string>
#include <vector>

#include "Request.h"
#include "Stream.h"

/// The exit status of the program: what became of one file.
enum Status {
  done = 0,
  wrongUsage = 64,
  /// The file or its tags are damaged.
  unreadable = 65,
  /// Something that is in the file now would be lost.
  loses = 66,
  /// The tags are of a kind that this does not change, such as two of them.
  odd = 67,
  /// TagLib failed.
  failed = 70,
  /// The file cannot be read or written.
  ioError = 71,
  /// There is no room on the disk.
  noRoom = 73,
  /// What was written is not there when it is read again.
  notWritten = 74,
};

/// More bytes of tags, or of an index, than these are not looked at.
const size_t mostTagBytes = 64 << 20;

/// What a format does with a file.
struct Result {
  Status status = unreadable;
  /// The names of what is missing, and is added if the request says so.
  std::vector<std::string> missing;
  /// The parts that the tags had before, each with its name and all of its bytes. They are found by this
  /// program, not by TagLib, which passes over what it does not understand.
  std::vector<std::string> before;

  void note(const char *name) {
    if (missing.empty() || missing.back() != name) missing.push_back(name);
  }
  /// Whether there is something to write.
  bool isToWrite(const Request &request) const { return request.writes && !missing.empty(); }
};

/// Adds what is missing to the tags of a file in one of the formats. The file is changed only if the
/// request says so and something is missing.
Result tagMP3(Stream &stream, const Request &request);
Result tagMP4(Stream &stream, const Request &request);
Result tagFLAC(Stream &stream, const Request &request);
Result tagVorbis(Stream &stream, const Request &request);
Result tagOpus(Stream &stream, const Request &request);

/// Whether TagLib reads the same values as before, and maybe more.
class Values {
public:
  Values(Stream &stream, const Request &request);
  ~Values();
  bool areKept(const Values &now) const;

private:
  struct Content;
  Content *content;
};

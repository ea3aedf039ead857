// podget-tag: adds what is missing to the tags of one file, for podget.
//
// The request comes on standard input (Request.h), the file is descriptor 3. Standard output gets one
// line: the names of what is missing, or was added. The exit status is that of Tagging.h.
//
// Files come from anybody, and TagLib has had faults. A fault here ends this process and nothing else:
// it has little memory and time, can open nothing and start nothing, and works on a copy that podget
// compares with the original.

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <taglib/tdebuglistener.h>

#include "Sandbox.h"
#include "Tagging.h"

namespace {

const int fileDescriptor = 3;
const rlim_t memory = 512 << 20;
const rlim_t processorSeconds = 20;
/// How much longer the file may become.
const rlim_t growth = 64 << 20;

/// TagLib's remarks on odd files are for nobody.
class Silence : public TagLib::DebugListener {
  void printMessage(const TagLib::String &) override {}
};

void limit(int resource, rlim_t soft, rlim_t hard) {
  rlimit value;
  if (getrlimit(__rlimit_resource_t(resource), &value) != 0) return;
  if (hard < value.rlim_max) value.rlim_max = hard;
  if (soft < value.rlim_cur) value.rlim_cur = soft;
  setrlimit(__rlimit_resource_t(resource), &value);
}

/// Drops what this does not need.
bool limitProgram() {
  struct stat status;
  if (fstat(fileDescriptor, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  rlim_t size = rlim_t(status.st_size) + growth;
  limit(RLIMIT_CORE, 0, 0);
  limit(RLIMIT_AS, memory, memory);
  limit(RLIMIT_CPU, processorSeconds, processorSeconds + 1);
  limit(RLIMIT_FSIZE, size, size);
  // It has all descriptors that it needs.
  limit(RLIMIT_NOFILE, 0, 0);
  limit(RLIMIT_NPROC, 0, 0);
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

Result tag(Stream &stream, const Request &request) {
  if (request.kind == "mp3") return tagMP3(stream, request);
  if (request.kind == "mp4") return tagMP4(stream, request);
  if (request.kind == "flac") return tagFLAC(stream, request);
  if (request.kind == "vorbis") return tagVorbis(stream, request);
  if (request.kind == "opus") return tagOpus(stream, request);
  Result result;
  result.status = wrongUsage;
  return result;
}

/// The status of a failed read or write; that of what was done if there was none.
Status status(const Stream &stream, Status other) {
  switch (stream.error()) {
    case 0: return other;
    case ENOSPC:
    case EDQUOT:
    case EFBIG: return noRoom;
    default: return ioError;
  }
}

/// Whether the file has what was added, and all that it had before, byte for byte.
Status written(Request request, std::vector<std::string> before, const Values &values) {
  request.writes = false;
  Stream stream(fileDescriptor, false);
  Result now = tag(stream, request);
  if (stream.error() != 0) return ioError;
  if (now.status != done) return notWritten;
  std::sort(before.begin(), before.end());
  std::sort(now.before.begin(), now.before.end());
  if (!std::includes(now.before.begin(), now.before.end(), before.begin(), before.end()))
    return loses;
  if (!values.areKept(Values(stream, request))) return loses;
  return now.missing.empty() ? done : notWritten;
}

Status run(const Request &request, std::vector<std::string> &missing) {
  Stream stream(fileDescriptor, request.writes);
  if (!request.writes) {
    Result result = tag(stream, request);
    missing = result.missing;
    return status(stream, result.status);
  }
  Values values(stream, request);
  Result result = tag(stream, request);
  missing = result.missing;
  Status now = status(stream, result.status);
  if (now != done || missing.empty()) return now;
  return written(request, result.before, values);
}

}  // namespace

int main() {
  // A file that becomes too large is an error of its write.
  signal(SIGXFSZ, SIG_IGN);
  static Silence silence;
  TagLib::setDebugListener(&silence);
  Request request;
  if (!limitProgram() || !readRequest(STDIN_FILENO, request)) return wrongUsage;
  refuseOtherCalls();
  try {
    std::vector<std::string> missing;
    Status status = run(request, missing);
    std::string line;
    for (const auto &name : missing) line += (line.empty() ? "" : " ") + name;
    line += "\n";
    if (write(STDOUT_FILENO, line.data(), line.size()) != ssize_t(line.size())) return failed;
    return status;
  } catch (const std::exception &) {
    return failed;
  } catch (...) {
    return failed;
  }
}

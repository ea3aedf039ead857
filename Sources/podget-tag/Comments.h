#pragma once

#include <string>
#include <vector>

#include "Tagging.h"

/// Comments as Vorbis, Opus and FLAC have them. Those that are there are kept as they are.
struct Comments {
  std::string vendor;
  std::vector<std::string> fields;

  /// Reads them from a place, which moves behind them; false if they are cut.
  bool take(const std::string &bytes, size_t &place);
  std::string bytes() const;
  /// Whether a field has a name, in any case.
  bool has(const char *name) const;
  /// Whether the name of a field begins so.
  bool hasAny(const char *beginning) const;
  /// What they consist of.
  std::vector<std::string> parts() const;
  /// Adds the texts and chapters that are missing.
  void addMissing(const Request &request, Result &result);

private:
  void add(const char *field, const char *name, const std::string &value, Result &result);
  void addChapters(const Request &request, Result &result);
};

/// A picture in the form that FLAC has it (RFC 9639, section 8.8).
std::string pictureBlock(const Request &request);

#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// A chapter of an episode, with its times in milliseconds.
struct Chapter {
  uint32_t start;
  uint32_t end;
  std::string title;
};

/// What podget asks for: the tags that a file should have. An empty text is one that is not known.
struct Request {
  /// Whether the file is changed; otherwise only what is missing is reported.
  bool writes = false;
  /// The format by podget's own check of the first bytes: mp3, mp4, flac, vorbis or opus.
  std::string kind;
  std::string title;
  std::string podcast;
  std::string author;
  /// A timestamp such as 2024-03-01T10:00:00Z.
  std::string date;
  unsigned number = 0;
  unsigned season = 0;
  std::string description;
  std::string guid;
  std::string feed;
  std::string page;
  std::vector<Chapter> chapters;
  /// The media type of the picture, and its bytes.
  std::string pictureType;
  std::string picture;

  /// Who made the episode, as far as that is known.
  const std::string &artist() const { return author.empty() ? podcast : author; }
  /// The day of the date.
  std::string day() const { return date.substr(0, 10); }
  /// The date without its time zone, which is UTC, as ID3 has it.
  std::string moment() const { return date.substr(0, 19); }
};

/// Reads a request from a descriptor to its end mark; false for anything else, and for too much.
///
/// It is a line, then members: a letter, the length as four bytes (most significant first), and so many
/// bytes. The last member has the letter '.' and no bytes.
bool readRequest(int descriptor, Request &request);

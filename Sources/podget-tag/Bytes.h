#pragma once

#include <cstdint>
#include <string>

/// A number, most significant byte first; the bytes are there.
inline uint64_t bigEndian(const std::string &bytes, size_t place, size_t count = 4) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; i++) value = value << 8 | uint8_t(bytes[place + i]);
  return value;
}

inline std::string bigEndian(uint32_t value, size_t count = 4) {
  std::string bytes;
  for (size_t i = count; i > 0; i--) bytes += char(value >> (8 * (i - 1)));
  return bytes;
}

/// A number, least significant byte first; the bytes are there.
inline uint32_t littleEndian(const std::string &bytes, size_t place) {
  uint32_t value = 0;
  for (size_t i = 4; i > 0; i--) value = value << 8 | uint8_t(bytes[place + i - 1]);
  return value;
}

inline std::string littleEndian(uint32_t value) {
  std::string bytes;
  for (int i = 0; i < 4; i++) bytes += char(value >> (8 * i));
  return bytes;
}

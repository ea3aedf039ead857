// zlib's macros as functions: Swift imports no macros with arguments.
#ifndef PODGET_CZLIB_SHIM_H
#define PODGET_CZLIB_SHIM_H

#include <zlib.h>

static inline int podget_inflate_begin(z_stream *stream, int window_bits) {
  return inflateInit2(stream, window_bits);
}

#endif

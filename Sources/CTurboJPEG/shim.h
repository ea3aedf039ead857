// The TurboJPEG API of libjpeg-turbo: its functions return codes, and no error jumps over Swift's
// frames as in the plain libjpeg API. The library is loaded by the process that decodes, and by no other.
#ifndef PODGET_CTURBOJPEG_SHIM_H
#define PODGET_CTURBOJPEG_SHIM_H

#include <dlfcn.h>
#include <stddef.h>
#include <turbojpeg.h>

// Loads the library; 0 if it is not installed. Everything below needs it.
static inline int podget_turbojpeg_load(void) {
  return dlopen("libturbojpeg.so.0", RTLD_NOW | RTLD_GLOBAL) != NULL;
}

#define PODGET_TURBOJPEG(function) ((__typeof__(&function))dlsym(NULL, #function))

static inline tjhandle podget_tj_create(void) { return PODGET_TURBOJPEG(tjInitDecompress)(); }

static inline void podget_tj_destroy(tjhandle decoder) { PODGET_TURBOJPEG(tjDestroy)(decoder); }

static inline int podget_tj_header(
    tjhandle decoder, const unsigned char *bytes, unsigned long count, int *width, int *height,
    int *subsampling, int *colors) {
  return PODGET_TURBOJPEG(tjDecompressHeader3)(
      decoder, bytes, count, width, height, subsampling, colors);
}

static inline int podget_tj_decode(
    tjhandle decoder, const unsigned char *bytes, unsigned long count, unsigned char *pixels,
    int width, int pitch, int height, int format, int flags) {
  return PODGET_TURBOJPEG(tjDecompress2)(
      decoder, bytes, count, pixels, width, pitch, height, format, flags);
}

static inline int podget_tj_error_code(tjhandle decoder) {
  return PODGET_TURBOJPEG(tjGetErrorCode)(decoder);
}

static inline const char *podget_tj_error(tjhandle decoder) {
  return PODGET_TURBOJPEG(tjGetErrorStr2)(decoder);
}

#endif

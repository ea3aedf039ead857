// libspng: PNG with limits on sizes and chunks; its functions return codes. The library is loaded by the
// process that decodes, and by no other.
#ifndef PODGET_CSPNG_SHIM_H
#define PODGET_CSPNG_SHIM_H

#include <dlfcn.h>
#include <stddef.h>
#include <spng.h>

// Loads the library; 0 if it is not installed. Everything below needs it.
static inline int podget_spng_load(void) {
  return dlopen("libspng.so.0", RTLD_NOW | RTLD_GLOBAL) != NULL;
}

#define PODGET_SPNG(function) ((__typeof__(&function))dlsym(NULL, #function))

static inline spng_ctx *podget_spng_create(void) { return PODGET_SPNG(spng_ctx_new)(0); }

static inline void podget_spng_destroy(spng_ctx *decoder) { PODGET_SPNG(spng_ctx_free)(decoder); }

static inline int podget_spng_limit_image(spng_ctx *decoder, uint32_t width, uint32_t height) {
  return PODGET_SPNG(spng_set_image_limits)(decoder, width, height);
}

static inline int podget_spng_limit_chunks(spng_ctx *decoder, size_t chunk, size_t all) {
  return PODGET_SPNG(spng_set_chunk_limits)(decoder, chunk, all);
}

static inline int podget_spng_check_sums(spng_ctx *decoder, int critical, int ancillary) {
  return PODGET_SPNG(spng_set_crc_action)(decoder, critical, ancillary);
}

static inline int podget_spng_read(spng_ctx *decoder, const void *bytes, size_t count) {
  return PODGET_SPNG(spng_set_png_buffer)(decoder, bytes, count);
}

static inline int podget_spng_header(spng_ctx *decoder, struct spng_ihdr *header) {
  return PODGET_SPNG(spng_get_ihdr)(decoder, header);
}

static inline int podget_spng_transparent(spng_ctx *decoder, struct spng_trns *color) {
  return PODGET_SPNG(spng_get_trns)(decoder, color);
}

static inline int podget_spng_decode(
    spng_ctx *decoder, void *pixels, size_t count, int format, int flags) {
  return PODGET_SPNG(spng_decode_image)(decoder, pixels, count, format, flags);
}

static inline int podget_spng_decode_row(spng_ctx *decoder, void *row, size_t count) {
  return PODGET_SPNG(spng_decode_row)(decoder, row, count);
}

#endif

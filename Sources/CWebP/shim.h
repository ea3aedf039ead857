// libwebp's decoder, and its encoder for thumbnails that are kept. The library is loaded by the process
// that decodes, and by no other.
#ifndef PODGET_CWEBP_SHIM_H
#define PODGET_CWEBP_SHIM_H

#include <dlfcn.h>
#include <stddef.h>
#include <webp/decode.h>
#include <webp/encode.h>

// Loads the library; 0 if it is not installed. Everything below needs it.
static inline int podget_webp_load(void) {
  return dlopen("libwebp.so.7", RTLD_NOW | RTLD_GLOBAL) != NULL;
}

#define PODGET_WEBP(function) ((__typeof__(&function))dlsym(NULL, #function))

static inline int podget_webp_create(WebPDecoderConfig *decoder) {
  return PODGET_WEBP(WebPInitDecoderConfigInternal)(decoder, WEBP_DECODER_ABI_VERSION);
}

static inline VP8StatusCode podget_webp_features(
    const uint8_t *bytes, size_t count, WebPBitstreamFeatures *features) {
  return PODGET_WEBP(WebPGetFeaturesInternal)(bytes, count, features, WEBP_DECODER_ABI_VERSION);
}

static inline VP8StatusCode podget_webp_decode(
    const uint8_t *bytes, size_t count, WebPDecoderConfig *decoder) {
  return PODGET_WEBP(WebPDecode)(bytes, count, decoder);
}

static inline void podget_webp_destroy(WebPDecBuffer *buffer) {
  PODGET_WEBP(WebPFreeDecBuffer)(buffer);
}

static inline size_t podget_webp_encode(
    const uint8_t *pixels, int width, int height, int has_alpha, float quality, uint8_t **file) {
  return has_alpha ? PODGET_WEBP(WebPEncodeRGBA)(pixels, width, height, width * 4, quality, file)
                   : PODGET_WEBP(WebPEncodeRGB)(pixels, width, height, width * 3, quality, file);
}

static inline void podget_webp_free(void *file) { PODGET_WEBP(WebPFree)(file); }

#endif

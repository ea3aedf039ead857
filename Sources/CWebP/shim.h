// libwebp's decoder, and its encoder for thumbnails that are kept.
#ifndef PODGET_CWEBP_SHIM_H
#define PODGET_CWEBP_SHIM_H

#include <webp/decode.h>
#include <webp/encode.h>

#endif

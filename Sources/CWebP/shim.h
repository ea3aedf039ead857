// libwebp's decoder.
#ifndef PODGET_CWEBP_SHIM_H
#define PODGET_CWEBP_SHIM_H

#include <webp/decode.h>

#endif

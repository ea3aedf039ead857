// libspng: PNG with limits on sizes and chunks; its functions return codes.
#ifndef PODGET_CSPNG_SHIM_H
#define PODGET_CSPNG_SHIM_H

#include <spng.h>

#endif

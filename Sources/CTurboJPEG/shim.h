// The TurboJPEG API of libjpeg-turbo: its functions return codes, and no error jumps over Swift's
// frames as in the plain libjpeg API.
#ifndef PODGET_CTURBOJPEG_SHIM_H
#define PODGET_CTURBOJPEG_SHIM_H

#include <turbojpeg.h>

#endif

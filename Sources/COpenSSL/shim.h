// The digest interface of OpenSSL's libcrypto, which libcurl has loaded anyway.
#ifndef PODGET_COPENSSL_SHIM_H
#define PODGET_COPENSSL_SHIM_H

#include <openssl/evp.h>

#endif

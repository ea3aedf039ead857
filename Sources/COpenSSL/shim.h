// The digest interface of OpenSSL's libcrypto, which libcurl has loaded anyway.
#ifndef PODGET_COPENSSL_SHIM_H
#define PODGET_COPENSSL_SHIM_H

#include <openssl/evp.h>
#include <openssl/sha.h>

// For keys, which must never fail: unlike EVP's functions, these allocate nothing and ask no provider.
// OpenSSL would rather see EVP used.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static inline void podget_sha256(
    const void *bytes, size_t count, unsigned char digest[SHA256_DIGEST_LENGTH]) {
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, bytes, count);
  SHA256_Final(digest, &context);
}
#pragma GCC diagnostic pop

#endif

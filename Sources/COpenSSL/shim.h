// The digest interface of OpenSSL's libcrypto, which libcurl has loaded anyway.
#ifndef PODGET_COPENSSL_SHIM_H
#define PODGET_COPENSSL_SHIM_H

#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stdint.h>

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
// A checksum that is stored in the middle: its eight words after so many whole blocks of 64 bytes.
static inline void podget_sha256_begin(uint32_t state[8]) {
  SHA256_CTX context;
  SHA256_Init(&context);
  for (int word = 0; word < 8; word++) state[word] = context.h[word];
}

static inline void podget_sha256_blocks(uint32_t state[8], const void *bytes, size_t blocks) {
  SHA256_CTX context;
  SHA256_Init(&context);
  for (int word = 0; word < 8; word++) context.h[word] = state[word];
  SHA256_Update(&context, bytes, blocks * 64);
  for (int word = 0; word < 8; word++) state[word] = context.h[word];
}

// The checksum after `total` bytes, of which the last `count` (fewer than 64) are not in the state.
static inline void podget_sha256_end(
    const uint32_t state[8], uint64_t total, const void *rest, size_t count,
    unsigned char digest[SHA256_DIGEST_LENGTH]) {
  SHA256_CTX context;
  SHA256_Init(&context);
  for (int word = 0; word < 8; word++) context.h[word] = state[word];
  uint64_t bits = (total - count) * 8;
  context.Nl = (SHA_LONG)bits;
  context.Nh = (SHA_LONG)(bits >> 32);
  SHA256_Update(&context, rest, count);
  SHA256_Final(digest, &context);
}
#pragma GCC diagnostic pop

#endif

// The digest interface of OpenSSL's libcrypto, loaded when the first of its functions is needed: loading
// it takes longer than much of what `podget list` does. The functions here have libcrypto's names with
// another prefix.
#ifndef PODGET_COPENSSL_SHIM_H
#define PODGET_COPENSSL_SHIM_H

#include <dlfcn.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

// A function of libcrypto. Without it nothing of podget can go on, so the program ends with the status
// of the dynamic linker, which would have ended it at the start.
static inline void *podget_crypto_function(const char *name) {
  // Loading it again only returns it. Null asks for what every program would use (RTLD_DEFAULT), so that
  // a library of LD_PRELOAD comes first, as always.
  void *function = dlopen("libcrypto.so.3", RTLD_LAZY | RTLD_GLOBAL) ? dlsym(NULL, name) : NULL;
  if (!function) {
    static const char text[] =
        "podget: libcrypto.so.3 cannot be loaded. On Debian it is in the package libssl3.\n";
    if (write(STDERR_FILENO, text, sizeof text - 1)) {}
    _exit(127);
  }
  return function;
}

// Threads may look for a function at the same time; all find the same.
#define PODGET_CRYPTO(function)                                                          \
  ({                                                                                     \
    static __typeof__(&function) found;                                                  \
    __typeof__(&function) known = __atomic_load_n(&found, __ATOMIC_ACQUIRE);             \
    if (!known) {                                                                        \
      known = (__typeof__(&function))podget_crypto_function(#function);                  \
      __atomic_store_n(&found, known, __ATOMIC_RELEASE);                                 \
    }                                                                                    \
    known;                                                                               \
  })

// For keys, which must never fail: unlike EVP's functions, these allocate nothing and ask no provider.
// OpenSSL would rather see EVP used.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static inline void podget_sha256(
    const void *bytes, size_t count, unsigned char digest[SHA256_DIGEST_LENGTH]) {
  SHA256_CTX context;
  PODGET_CRYPTO(SHA256_Init)(&context);
  PODGET_CRYPTO(SHA256_Update)(&context, bytes, count);
  PODGET_CRYPTO(SHA256_Final)(digest, &context);
}

// A checksum that is stored in the middle: its eight words after so many whole blocks of 64 bytes.
static inline void podget_sha256_begin(uint32_t state[8]) {
  SHA256_CTX context;
  PODGET_CRYPTO(SHA256_Init)(&context);
  for (int word = 0; word < 8; word++) state[word] = context.h[word];
}

static inline void podget_sha256_blocks(uint32_t state[8], const void *bytes, size_t blocks) {
  SHA256_CTX context;
  PODGET_CRYPTO(SHA256_Init)(&context);
  for (int word = 0; word < 8; word++) context.h[word] = state[word];
  PODGET_CRYPTO(SHA256_Update)(&context, bytes, blocks * 64);
  for (int word = 0; word < 8; word++) state[word] = context.h[word];
}

// The checksum after `total` bytes, of which the last `count` (fewer than 64) are not in the state.
static inline void podget_sha256_end(
    const uint32_t state[8], uint64_t total, const void *rest, size_t count,
    unsigned char digest[SHA256_DIGEST_LENGTH]) {
  SHA256_CTX context;
  PODGET_CRYPTO(SHA256_Init)(&context);
  for (int word = 0; word < 8; word++) context.h[word] = state[word];
  uint64_t bits = (total - count) * 8;
  context.Nl = (SHA_LONG)bits;
  context.Nh = (SHA_LONG)(bits >> 32);
  PODGET_CRYPTO(SHA256_Update)(&context, rest, count);
  PODGET_CRYPTO(SHA256_Final)(digest, &context);
}
#pragma GCC diagnostic pop

static inline EVP_MD_CTX *podget_digest_new(void) { return PODGET_CRYPTO(EVP_MD_CTX_new)(); }

static inline void podget_digest_free(EVP_MD_CTX *context) {
  PODGET_CRYPTO(EVP_MD_CTX_free)(context);
}

static inline const EVP_MD *podget_digest_sha256(void) { return PODGET_CRYPTO(EVP_sha256)(); }
static inline const EVP_MD *podget_digest_sha384(void) { return PODGET_CRYPTO(EVP_sha384)(); }
static inline const EVP_MD *podget_digest_sha512(void) { return PODGET_CRYPTO(EVP_sha512)(); }

static inline int podget_digest_begin(EVP_MD_CTX *context, const EVP_MD *type) {
  return PODGET_CRYPTO(EVP_DigestInit_ex)(context, type, NULL);
}

static inline int podget_digest_add(EVP_MD_CTX *context, const void *bytes, size_t count) {
  return PODGET_CRYPTO(EVP_DigestUpdate)(context, bytes, count);
}

static inline int podget_digest_copy(EVP_MD_CTX *copy, const EVP_MD_CTX *context) {
  return PODGET_CRYPTO(EVP_MD_CTX_copy_ex)(copy, context);
}

static inline int podget_digest_finish(
    EVP_MD_CTX *context, unsigned char *bytes, unsigned int *count) {
  return PODGET_CRYPTO(EVP_DigestFinal_ex)(context, bytes, count);
}

#endif

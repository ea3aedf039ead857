// libxml2's push parser and the C library's character set conversion.
#ifndef PODGET_CXML_SHIM_H
#define PODGET_CXML_SHIM_H

#include <errno.h>
#include <iconv.h>
#include <libxml/parser.h>

// glibc's iconv takes its input as `char **`, others as `const char **`; the bytes are not changed.
// Returns 0, or why it stopped: EILSEQ, EINVAL or E2BIG.
static inline int podget_iconv(
    iconv_t converter, const unsigned char **input, size_t *input_size, unsigned char **output,
    size_t *output_size) {
  size_t status = iconv(converter, (char **)input, input_size, (char **)output, output_size);
  return status == (size_t)-1 ? errno : 0;
}

#endif

// The entry of libFuzzer for programs that have a main function of their own; the compiler ships no
// header for it.
#ifndef PODGET_FUZZER_H
#define PODGET_FUZZER_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));

#endif

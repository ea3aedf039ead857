// Counts the allocations of the program that links it, of its libraries too.

/// How many blocks of memory were allocated since the program began, by all threads.
unsigned long allocation_count(void);

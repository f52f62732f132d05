/* Tables of 513 entries, 128 integers apart, for the integers from -32,768 to 32,768. */
#ifndef KILN_NN_TABLE_H
#define KILN_NN_TABLE_H

#include "internal.h"

/* The interpolated entry for x; halves up. */
static inline int32_t kiln_interpolated(const int16_t *entries, int32_t x)
{
    int32_t index = 256 + (x >> 7), base = entries[index], slope = entries[index + 1] - base;
    return base + ((slope * (x & 0x7F) + 64) >> 7);
}

#endif

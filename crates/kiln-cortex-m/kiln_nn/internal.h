/* Integer arithmetic that the kernels share.
 *
 * Sums are kept in uint32_t where int32_t could overflow: they wrap then, as CMSIS-NN's do on the machine, and the behaviour is
 * defined. A right shift of a negative integer is taken to be arithmetic, and a conversion to a shorter type to drop high bits;
 * C99 leaves both to the compiler, and all compilers for Cortex-M do so. */
#ifndef KILN_NN_INTERNAL_H
#define KILN_NN_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kiln_nn.h"

static inline int32_t kiln_min(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static inline int32_t kiln_max(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static inline int32_t kiln_clamp(int32_t x, int32_t min, int32_t max)
{
    return kiln_min(kiln_max(x, min), max);
}

static inline int32_t kiln_shift_left(int32_t x, int32_t bits)
{
    return (int32_t)((uint32_t)x << bits);
}

/* x / 2^bits; halves away from 0. `bits` is 0 to 31. */
static inline int32_t kiln_divide_by_power(int32_t x, int32_t bits)
{
    uint32_t mask = ((uint32_t)1 << bits) - 1;
    int32_t quotient = x >> bits;
    uint32_t threshold = (mask >> 1) + (quotient < 0 ? 1 : 0);
    return quotient + (((uint32_t)x & mask) > threshold ? 1 : 0);
}

/* x * multiplier * 2^(shift - 31), rounded twice: at 31 bits with halves up, then by a shift to the right with halves away from 0. */
static inline int32_t kiln_requantize(int32_t x, int32_t multiplier, int32_t shift)
{
    int64_t product = (int64_t)kiln_shift_left(x, shift > 0 ? shift : 0) * multiplier;
    int32_t high = (int32_t)((product + ((int64_t)1 << 30)) >> 31);
    return shift < 0 ? kiln_divide_by_power(high, -shift) : high;
}

/* The upper 16 bits of a multiplier, rounded, for kiln_requantize_s64. */
static inline int32_t kiln_reduce(int32_t multiplier)
{
    return multiplier < 0x7FFF0000 ? (multiplier + (1 << 15)) >> 16 : 0x7FFF;
}

/* x * reduced * 2^(shift - 15), halves up; `shift` is up to 14. */
static inline int32_t kiln_requantize_s64(int64_t x, int32_t reduced, int32_t shift)
{
    uint32_t doubled = (uint32_t)((int64_t)((uint64_t)x * (uint64_t)reduced) >> (14 - shift));
    return (int32_t)(doubled + 1) >> 1;
}

/* The result of a layer for one sum. */
static inline int32_t kiln_output(uint32_t sum, int32_t multiplier, int32_t shift, int32_t offset, cmsis_nn_activation range)
{
    int32_t x = kiln_requantize((int32_t)sum, multiplier, shift);
    return kiln_clamp((int32_t)((uint32_t)x + (uint32_t)offset), range.min, range.max);
}

/* 4-bit integer `index` of packed ones. */
static inline int32_t kiln_nibble(const int8_t *packed, int32_t index)
{
    uint32_t byte = (uint8_t)packed[index >> 1];
    return (int8_t)(byte << (index & 1 ? 0 : 4)) >> 4;
}

/* sum + the products of x + offset with weights from `first`. */
static inline uint32_t kiln_dot(uint32_t sum, const int8_t *x, int32_t length, int32_t offset, const int8_t *weights, int32_t first,
    bool packed)
{
    for (int32_t i = 0; i < length; i++) {
        int32_t weight = packed ? kiln_nibble(weights, first + i) : weights[first + i];
        sum += (uint32_t)((x[i] + offset) * weight);
    }
    return sum;
}

/* kiln_dot for four rows of weights, `stride` apart: each x is read once. */
static inline void kiln_dot4(uint32_t sums[4], const int8_t *x, int32_t length, int32_t offset, const int8_t *weights, int32_t first,
    int32_t stride, bool packed)
{
    uint32_t sum0 = sums[0], sum1 = sums[1], sum2 = sums[2], sum3 = sums[3];
    if (packed) {
        for (int32_t i = first; i < first + length; i++) {
            int32_t value = *x++ + offset;
            sum0 += (uint32_t)(value * kiln_nibble(weights, i));
            sum1 += (uint32_t)(value * kiln_nibble(weights, i + stride));
            sum2 += (uint32_t)(value * kiln_nibble(weights, i + 2 * stride));
            sum3 += (uint32_t)(value * kiln_nibble(weights, i + 3 * stride));
        }
    } else {
        const int8_t *row0 = weights + first, *row1 = row0 + stride, *row2 = row1 + stride, *row3 = row2 + stride;
        for (int32_t i = 0; i < length; i++) {
            int32_t value = x[i] + offset;
            sum0 += (uint32_t)(value * row0[i]);
            sum1 += (uint32_t)(value * row1[i]);
            sum2 += (uint32_t)(value * row2[i]);
            sum3 += (uint32_t)(value * row3[i]);
        }
    }
    sums[0] = sum0;
    sums[1] = sum1;
    sums[2] = sum2;
    sums[3] = sum3;
}

#endif

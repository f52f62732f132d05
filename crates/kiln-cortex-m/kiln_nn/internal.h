/* Integer arithmetic that the kernels share.
 *
 * An accumulator that could overflow int32_t is a uint32_t. It wraps, as CMSIS-NN's does on the machine, and its
 * behaviour is defined. C99 leaves two things to the compiler that all compilers for Cortex-M do alike: a right shift of
 * a negative integer is arithmetic, and a conversion to a shorter type drops the high bits. */
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

/* x / 2^bits for x > INT32_MIN; halves away from 0. `bits` is 0 to 31. */
static inline int32_t kiln_divide_by_power(int32_t x, int32_t bits)
{
    if (bits == 0) {
        return x;
    }
    /* Halves go up after 1 is taken from a negative x. The last bit is added apart, since the sum could overflow. */
    int32_t twice = (x + (x >> 31)) >> (bits - 1);
    return (twice >> 1) + (twice & 1);
}

/* x * multiplier / 2^31; halves up. The multiplier is not negative, so that this is never INT32_MIN. */
static inline int32_t kiln_scale(int32_t x, int32_t multiplier)
{
    return (int32_t)(((int64_t)x * multiplier + ((int64_t)1 << 30)) >> 31);
}

/* x * multiplier * 2^(shift - 31), rounded twice: by kiln_scale, and then by a shift to the right. */
static inline int32_t kiln_requantize(int32_t x, int32_t multiplier, int32_t shift)
{
    int32_t scaled = kiln_scale(kiln_shift_left(x, kiln_max(shift, 0)), multiplier);
    return shift < 0 ? kiln_divide_by_power(scaled, -shift) : scaled;
}

/* As kiln_requantize, rounded once, halves up. The result has to fit 32 bits. */
static inline int32_t kiln_requantize_once(int32_t x, int32_t multiplier, int32_t shift)
{
    int64_t doubled = ((int64_t)x * multiplier) >> (30 - shift);
    return (int32_t)((doubled + 1) >> 1);
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

/* A quotient rounded down, and twice what is left. */
typedef struct {
    int32_t whole, twice;
} kiln_quotient;

/* x / y, for y from 1 to 2^30. */
static inline kiln_quotient kiln_quotient_of(int32_t x, int32_t y)
{
    kiln_quotient found = { x / y, x % y };
    if (found.twice < 0) {
        found.whole--;
        found.twice += y;
    }
    found.twice *= 2;
    return found;
}

/* As kiln_output, rounded once. For Kiln's own kernels, whose accumulators are small: two roundings would show. */
static inline int32_t kiln_output_once(uint32_t sum, int32_t multiplier, int32_t shift, int32_t offset,
    cmsis_nn_activation range)
{
    int32_t x = kiln_requantize_once((int32_t)sum, multiplier, shift);
    return kiln_clamp((int32_t)((uint32_t)x + (uint32_t)offset), range.min, range.max);
}

/* The results of `count` sums with a multiplier and a shift each (outputs_s8.c). */
void kiln_outputs_s8(const uint32_t *sums, int32_t count, const int32_t *multiplier, const int32_t *shift, int32_t offset,
    cmsis_nn_activation range, int8_t *output);

/* The bias of `count` channels, or zeros. */
static inline void kiln_begin_sums(uint32_t *sums, const int32_t *bias, int32_t channel, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        sums[i] = bias != NULL ? (uint32_t)bias[channel + i] : 0;
    }
}

/* The sums below are functions in files of their own (sums_s8.c, sums_s4.c), so that the compiler has all registers for
 * their loops. `first` is the index of the first weight; a 4-bit weight may begin in the middle of a byte. */

/* sum + the products of x + offset with weights. */
typedef uint32_t kiln_dot(uint32_t sum, const int8_t *x, int32_t length, int32_t offset, const int8_t *weights, int32_t first);
kiln_dot kiln_dot_s8, kiln_dot_s4;

/* The same for four rows of weights, `stride` apart: each x is read once. */
typedef void kiln_dot4(uint32_t sums[4], const int8_t *x, int32_t length, int32_t offset, const int8_t *weights, int32_t first,
    int32_t stride);
kiln_dot4 kiln_dot4_s8, kiln_dot4_s4;

/* The taps of a depthwise kernel that meet the input: `rows` by `columns`. The other numbers lead to the next row or column, in
 * the input and in the weights. */
typedef struct {
    int32_t rows, columns;
    int32_t input_row, input_column;
    int32_t weight_row, weight_column;
    int32_t input_offset;
} kiln_window;

/* sum + the products of one channel of the window. */
typedef uint32_t kiln_window_sum(uint32_t sum, const kiln_window *window, const int8_t *input, const int8_t *weights,
    int32_t first);
kiln_window_sum kiln_window_s8, kiln_window_s4;

/* The same for four channels side by side. */
typedef void kiln_window4_sum(uint32_t sums[4], const kiln_window *window, const int8_t *input, const int8_t *weights,
    int32_t first);
kiln_window4_sum kiln_window4_s8, kiln_window4_s4;

#endif

/* Softmax of int8_t in fixed point: exp and 1 / (1 + x) by polynomials, as gemmlowp and CMSIS-NN have them. Sums have 12 integer
 * bits. */
#ifndef KILN_NN_SOFTMAX_H
#define KILN_NN_SOFTMAX_H

#include "internal.h"

#define KILN_SUM_BITS 12

/* x * y / 2^31, rounded. The one product that does not fit is saturated. Halves of a negative product go up, although
 * the division rounds toward 0. */
static inline int32_t kiln_multiply_high(int32_t x, int32_t y)
{
    if (x == INT32_MIN && y == INT32_MIN) {
        return INT32_MAX;
    }
    int64_t nudge = (x < 0) != (y < 0) ? 1 - ((int64_t)1 << 30) : (int64_t)1 << 30;
    return (int32_t)(((int64_t)x * y + nudge) / ((int64_t)1 << 31));
}

/* x * 2^bits, saturated. */
static inline int32_t kiln_multiply_by_power(int32_t x, int32_t bits)
{
    int32_t limit = (int32_t)(((uint32_t)1 << (31 - bits)) - 1);
    return x > limit ? INT32_MAX : x < -limit ? INT32_MIN : kiln_shift_left(x, bits);
}

/* exp(x) with 31 fractional bits for x <= 0 with 26. */
static inline int32_t kiln_exp_of_negative(int32_t x)
{
    /* exp of -2^-2, -2^-1, ... -2^4 */
    static const int32_t factors[7] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
    const int32_t exp_of_eighth = 1895147668, third = 715827883; /* exp(-1/8) and 1/3 */
    if (x == 0) {
        return INT32_MAX;
    }
    /* x is the sum of a number from -1/4 to 0 and a negative multiple of 1/4. The former is -1/8 and a distance from it,
     * for a Taylor series. */
    int32_t quarter = (x & 0xFFFFFF) - (1 << 24), multiple = (int32_t)((uint32_t)quarter - (uint32_t)x);
    int32_t near = kiln_shift_left(quarter, 5) + (1 << 28);
    int32_t square = kiln_multiply_high(near, near);
    int32_t cube = kiln_multiply_high(square, near);
    int32_t fourth = kiln_divide_by_power(kiln_multiply_high(square, square), 2);
    int32_t rest = kiln_divide_by_power(kiln_multiply_high(fourth + cube, third) + square, 1);
    int32_t result = exp_of_eighth + kiln_multiply_high(exp_of_eighth, near + rest);
    for (int32_t i = 0; i < 7; i++) {
        if (multiple & (1 << (24 + i))) {
            result = kiln_multiply_high(result, factors[i]);
        }
    }
    return result;
}

/* 1 / (1 + x) with 31 fractional bits for x from 0 to 1 with 31: three steps of Newton and Raphson from 48/17 - 32/17 y. */
static inline int32_t kiln_one_over_one_plus(int32_t x)
{
    int64_t sum = (int64_t)x + INT32_MAX;
    int32_t half = (int32_t)((sum + (sum >= 0 ? 1 : -1)) / 2);
    int32_t result = 1515870810 + kiln_multiply_high(half, -1010580540);
    for (int32_t step = 0; step < 3; step++) {
        int32_t error = (1 << 29) - kiln_multiply_high(half, result);
        uint32_t correction = (uint32_t)kiln_multiply_by_power(kiln_multiply_high(result, error), 2);
        result = (int32_t)((uint32_t)result + correction); /* wraps for the sum 0, whose shares are not used */
    }
    return kiln_multiply_by_power(result, 1);
}

/* How differences from the maximum of a row become exponents. */
typedef struct {
    int32_t multiplier;
    int32_t shift;
    int32_t diff_min;
} kiln_softmax_scale;

static inline int32_t kiln_softmax_exp(const kiln_softmax_scale *scale, int32_t difference)
{
    return kiln_exp_of_negative(kiln_multiply_high(kiln_shift_left(difference, scale->shift), scale->multiplier));
}

/* The factor of a row's exponentials and the bits that their products have too many for an output of `bits` bits. */
typedef struct {
    int32_t factor;
    int32_t bits;
} kiln_softmax_total;

static inline int32_t kiln_leading_zeros(uint32_t x)
{
    int32_t zeros = 0;
    for (uint32_t bit = (uint32_t)1 << 31; bit != 0 && (x & bit) == 0; bit >>= 1) {
        zeros++;
    }
    return zeros;
}

static inline kiln_softmax_total kiln_softmax_total_of(uint32_t sum, int32_t bits)
{
    int32_t headroom = kiln_leading_zeros(sum);
    uint32_t fraction = sum > 0 ? sum << headroom : 0;
    kiln_softmax_total total = {
        kiln_one_over_one_plus((int32_t)(fraction - ((uint32_t)1 << 31))), KILN_SUM_BITS - headroom + 31 - bits,
    };
    return total;
}

/* 0 to 2^bits for one difference from the maximum. */
static inline int32_t kiln_softmax_share(const kiln_softmax_scale *scale, const kiln_softmax_total *total, int32_t difference)
{
    /* Past 31 bits every share is below a half. CMSIS-NN shifts by as much there, which C leaves undefined. */
    if (difference < scale->diff_min || total->bits > 31) {
        return 0;
    }
    return kiln_divide_by_power(kiln_multiply_high(total->factor, kiln_softmax_exp(scale, difference)), total->bits);
}

/* What exp(difference) adds to the sum of a row. */
static inline uint32_t kiln_softmax_term(const kiln_softmax_scale *scale, int32_t difference)
{
    return difference < scale->diff_min ? 0 : (uint32_t)kiln_divide_by_power(kiln_softmax_exp(scale, difference), KILN_SUM_BITS);
}

/* The total of `length` integers, `stride` apart; `max` becomes the greatest. */
static inline kiln_softmax_total kiln_softmax_total_s8(const int8_t *input, int32_t length, int32_t stride,
    const kiln_softmax_scale *scale, int32_t bits, int32_t *max)
{
    uint32_t sum = 0;
    *max = INT8_MIN;
    for (int32_t i = 0; i < length; i++) {
        *max = kiln_max(*max, input[i * stride]);
    }
    for (int32_t i = 0; i < length; i++) {
        sum += kiln_softmax_term(scale, input[i * stride] - *max);
    }
    return kiln_softmax_total_of(sum, bits);
}

#endif

/* Arithmetic of floats that the kernels share. It has the same bits on each core and on hosts: it uses single precision
 * only, in the written order, nothing is contracted or reordered, and no function of libm is called, whose results
 * differ by library. A NaN is any NaN.
 *
 * GCC contracts with -std=gnu99, the default of many builds. It would also vectorise for MVE, whose vectors flush
 * numbers below 2^-126 to 0. */
#ifndef KILN_NN_FLOAT_H
#define KILN_NN_FLOAT_H

#ifdef __FAST_MATH__
#error "kiln_nn computes with NaN, infinities and exact roundings: compile it without -ffast-math and -Ofast"
#endif

#if defined(__clang__)
#pragma clang fp contract(off)
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#ifdef __ARM_FEATURE_MVE
#pragma GCC optimize("no-tree-vectorize")
#endif
#else
#pragma STDC FP_CONTRACT OFF
#endif

#include "internal.h"
#include "kiln_ops.h"

static inline uint32_t kiln_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float kiln_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline float kiln_infinity(void)
{
    return kiln_of_bits(0x7F800000u);
}

static inline float kiln_nan(void)
{
    return kiln_of_bits(0x7FC00000u);
}

static inline bool kiln_is_nan(float x)
{
    return x != x;
}

static inline float kiln_magnitude(float x)
{
    return kiln_of_bits(kiln_bits(x) & 0x7FFFFFFFu);
}

/* |x| with the sign of `sign`. */
static inline float kiln_with_sign(float x, float sign)
{
    return kiln_of_bits((kiln_bits(x) & 0x7FFFFFFFu) | (kiln_bits(sign) & 0x80000000u));
}

/* 2^e for e from -126 to 127. */
static inline float kiln_power_of_2(int32_t e)
{
    return kiln_of_bits((uint32_t)(e + 127) << 23);
}

/* x * 2^e, rounded once, for x near 1 and e from -250 to 250. */
static inline float kiln_scaled(float x, int32_t e)
{
    int32_t half = e >> 1;
    return x * kiln_power_of_2(half) * kiln_power_of_2(e - half);
}

/* From 2^23 on there are whole numbers only. */
#define KILN_WHOLE 8388608.0f

static inline float kiln_trunc(float x)
{
    return kiln_magnitude(x) < KILN_WHOLE ? kiln_with_sign((float)(int32_t)x, x) : x;
}

static inline float kiln_floor(float x)
{
    float whole = kiln_trunc(x);
    return whole > x ? whole - 1.0f : whole;
}

static inline float kiln_ceil(float x)
{
    float whole = kiln_trunc(x);
    return whole < x ? whole + 1.0f : whole;
}

/* Halves to even: the sum has no bits for a fraction. */
static inline float kiln_round(float x)
{
    float size = kiln_magnitude(x);
    return size < KILN_WHOLE ? kiln_with_sign((size + KILN_WHOLE) - KILN_WHOLE, x) : x;
}

/* NaN if either is; the first if they are equal. */
static inline float kiln_greater(float a, float b)
{
    return kiln_is_nan(a) || a >= b ? a : b;
}

static inline float kiln_lesser(float a, float b)
{
    return kiln_is_nan(a) || a <= b ? a : b;
}

/* NaN stays. */
static inline float kiln_limited(float x, float min, float max)
{
    x = x < min ? min : x;
    return x > max ? max : x;
}

/* Functions of one float, each in the file of its kernel, which has its error. */
float kiln_exp(float x);
float kiln_expm1(float x);
float kiln_log(float x);
float kiln_log1p(float x);
float kiln_sqrt(float x);
float kiln_tanh(float x);
float kiln_sigmoid(float x);
float kiln_erf(float x);
float kiln_fmod(float x, float y);

/* x = k ln 2 + r. Returns r, which is at most ln(2) / 2 away from 0. |x| is at most 120. */
float kiln_exp_rest(float x, int32_t *k);
/* e^r - 1 of such an r. */
float kiln_exp_small(float r);
/* m in x = m * 2^k, from sqrt(1/2) to sqrt(2), for finite x > 0. */
float kiln_mantissa(float x, int32_t *k);
/* log(1 + f) - f of f = m - 1. */
float kiln_log_small(float f);

/* The body of a kernel of one operand: `result` is an expression in x. */
#define KILN_MAP(name, result)                                                                                             \
    void name(const float *input, float *output, int32_t size)                                                            \
    {                                                                                                                      \
        for (int32_t i = 0; i < size; i++) {                                                                               \
            const float x = input[i];                                                                                      \
            output[i] = (result);                                                                                          \
        }                                                                                                                  \
    }

#endif

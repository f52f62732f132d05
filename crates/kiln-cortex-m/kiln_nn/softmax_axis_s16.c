/* Softmax of int16_t along any axis. */
#include "kiln_ops.h"
#include "softmax.h"

/* exp of a difference with 31 fractional bits. */
static uint32_t term(const kiln_softmax_scale *scale, int32_t difference)
{
    return difference < scale->diff_min ? 0 : (uint32_t)kiln_softmax_exp(scale, difference);
}

/* The elements of an axis, `stride` apart. The greatest has the exponential 1, so the sum is 2^31 - 1 at least. */
static void shares(const kiln_softmax_scale *scale, const int16_t *input, int32_t n, int32_t stride, int16_t *output)
{
    int32_t max = INT16_MIN, bits = 0;
    uint64_t sum = 0;
    for (int32_t k = 0; k < n; k++) {
        max = kiln_max(max, input[k * stride]);
    }
    for (int32_t k = 0; k < n; k++) {
        sum += term(scale, input[k * stride] - max);
    }
    while ((sum >> bits) > UINT32_MAX) {
        bits++;
    }
    /* The sum is 1 + above, with 31 fractional bits. */
    uint32_t one = (uint32_t)1 << 31, normal = (uint32_t)(sum >> bits), above = normal > one ? normal - one : 0;
    int64_t factor = kiln_one_over_one_plus((int32_t)above);
    for (int32_t k = 0; k < n; k++) {
        int64_t product = factor * term(scale, input[k * stride] - max);
        int64_t share = (product + ((int64_t)1 << (46 + bits))) >> (47 + bits);
        output[k * stride] = (int16_t)(share < INT16_MAX ? share : INT16_MAX);
    }
}

void kiln_softmax_s16(const int16_t *input, int32_t outer, int32_t n, int32_t inner, int32_t multiplier, int32_t shift,
    int32_t diff_min, int16_t *output)
{
    const kiln_softmax_scale scale = {multiplier, shift, diff_min};
    for (int32_t i = 0; i < outer * inner; i++) {
        int32_t first = i / inner * n * inner + i % inner;
        shares(&scale, input + first, n, inner, output + first);
    }
}

/* Sum of two tensors of one shape, of which the first has the greater step. */
#include "internal.h"
#include "kiln_ops.h"

#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 1)
#include <arm_mve.h>
#define HAS_VECTORS
#endif

/* x * multiplier / 2^32; halves up. */
static inline int32_t upper(int32_t x, int32_t multiplier)
{
    int64_t product = (int64_t)x * multiplier;
    return (int32_t)(product >> 32) + (int32_t)((uint32_t)product >> 31);
}

/* (x + added) / 2^bits, where `added` has 2^(bits - 1) more than a multiple of 2^bits: halves of x / 2^bits away from 0. */
static inline int32_t divided(int32_t x, int32_t added, int32_t bits)
{
    return (x + added + (x >> 31)) >> bits;
}

#ifdef HAS_VECTORS
static inline int32x4_t divided_4(int32x4_t x, int32_t bits)
{
    return vrshlq_n_s32(vaddq_s32(x, vshrq_n_s32(x, 31)), -bits);
}
#endif

void kiln_add_same_s8(const int8_t *input_1_vect, const int8_t *input_2_vect, int32_t input_1_offset, int32_t input_1_mult,
    int32_t input_1_shift, int32_t input_2_offset, int32_t input_2_mult, int32_t input_2_shift, int32_t left_shift,
    int8_t *output, int32_t out_offset, int32_t out_mult, int32_t out_shift, int32_t out_activation_min,
    int32_t out_activation_max, int32_t block_size)
{
    (void)input_1_mult;
    (void)input_1_shift;
    (void)left_shift;
    const int32_t bits = -input_2_shift, out_bits = -out_shift;
    int32_t i = 0;
#ifdef HAS_VECTORS
    for (; i <= block_size - 4; i += 4) {
        int32x4_t x = vshlq_n_s32(vaddq_n_s32(vldrbq_s32(&input_1_vect[i]), input_1_offset), 19);
        int32x4_t y = vshlq_n_s32(vaddq_n_s32(vldrbq_s32(&input_2_vect[i]), input_2_offset), 20);
        int32x4_t sum = vaddq_s32(x, divided_4(vqrdmulhq_n_s32(y, input_2_mult), bits));
        sum = vaddq_n_s32(divided_4(vqrdmulhq_n_s32(sum, out_mult), out_bits), out_offset);
        sum = vmaxq_s32(sum, vdupq_n_s32(out_activation_min));
        vstrbq_s32(&output[i], vminq_s32(sum, vdupq_n_s32(out_activation_max)));
    }
#endif
    /* Products are of doubles, for the upper half of 64 bits is a product shifted by 32 and not by 31. */
    const int32_t start_1 = input_1_offset * (1 << 20), start_2 = input_2_offset * (1 << 21);
    const int32_t half = 1 << (bits - 1), start = (1 << (out_bits - 1)) + out_offset * (1 << out_bits);
    for (; i < block_size; i++) {
        int32_t y = divided(upper(input_2_vect[i] * (1 << 21) + start_2, input_2_mult), half, bits);
        int32_t doubled = input_1_vect[i] * (1 << 20) + start_1 + 2 * y;
        int32_t sum = divided(upper(doubled, out_mult), start, out_bits);
        output[i] = (int8_t)kiln_clamp(sum, out_activation_min, out_activation_max);
    }
}

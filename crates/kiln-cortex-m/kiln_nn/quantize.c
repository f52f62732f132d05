/* Floats from and to integers with a step and a zero point, one for each place along the middle axis. */
#include "float.h"

/* Product and sum are each rounded to a float, and halves go to even, as in PyTorch. NaN gives 0, if that is in range. */
static int32_t quantized(float x, float inverse_scale, int32_t zero_point, cmsis_nn_activation range)
{
    float steps = kiln_round(x * inverse_scale) + (float)zero_point;
    if (kiln_is_nan(steps)) {
        return kiln_clamp(0, range.min, range.max);
    }
    return (int32_t)kiln_limited(steps, (float)range.min, (float)range.max);
}

#define QUANTIZE(name, type)                                                                                               \
    void name(const float *input, int32_t outer, int32_t n, int32_t inner, const float *inverse_scales,                   \
        const int32_t *zero_points, const cmsis_nn_activation *activation, type *output)                                   \
    {                                                                                                                      \
        for (int32_t i = 0; i < outer * n; i++) {                                                                          \
            int32_t k = i % n;                                                                                             \
            for (int32_t j = 0; j < inner; j++) {                                                                          \
                *output++ = (type)quantized(*input++, inverse_scales[k], zero_points[k], *activation);                    \
            }                                                                                                              \
        }                                                                                                                  \
    }

/* The difference is exact below 2^24. */
#define DEQUANTIZE(name, type)                                                                                             \
    void name(const type *input, int32_t outer, int32_t n, int32_t inner, const float *scales,                            \
        const int32_t *zero_points, float *output)                                                                         \
    {                                                                                                                      \
        for (int32_t i = 0; i < outer * n; i++) {                                                                          \
            int32_t k = i % n;                                                                                             \
            for (int32_t j = 0; j < inner; j++) {                                                                          \
                *output++ = (float)((int64_t)*input++ - zero_points[k]) * scales[k];                                      \
            }                                                                                                              \
        }                                                                                                                  \
    }

QUANTIZE(kiln_quantize_s8, int8_t)
QUANTIZE(kiln_quantize_u8, uint8_t)
QUANTIZE(kiln_quantize_s16, int16_t)
DEQUANTIZE(kiln_dequantize_s8, int8_t)
DEQUANTIZE(kiln_dequantize_u8, uint8_t)
DEQUANTIZE(kiln_dequantize_s16, int16_t)
DEQUANTIZE(kiln_dequantize_s32, int32_t)

/* Functions of one float that need no approximation. */
#include "float.h"

KILN_MAP(kiln_neg_f32, -x)
KILN_MAP(kiln_abs_f32, kiln_magnitude(x))
KILN_MAP(kiln_sign_f32, (x > 0.0f ? 1.0f : 0.0f) - (x < 0.0f ? 1.0f : 0.0f))
KILN_MAP(kiln_square_f32, x * x)
KILN_MAP(kiln_reciprocal_f32, 1.0f / x)
KILN_MAP(kiln_floor_f32, kiln_floor(x))
KILN_MAP(kiln_ceil_f32, kiln_ceil(x))
KILN_MAP(kiln_round_f32, kiln_round(x))
KILN_MAP(kiln_trunc_f32, kiln_trunc(x))
KILN_MAP(kiln_hardsigmoid_f32, kiln_limited(x + 3.0f, 0.0f, 6.0f) / 6.0f)
KILN_MAP(kiln_hardswish_f32, x * kiln_limited(x + 3.0f, 0.0f, 6.0f) / 6.0f)

void kiln_clamp_f32(const float *input, float min, float max, float *output, int32_t size)
{
    for (int32_t i = 0; i < size; i++) {
        output[i] = kiln_limited(input[i], min, max);
    }
}

void kiln_leaky_relu_f32(const float *input, float slope, float *output, int32_t size)
{
    for (int32_t i = 0; i < size; i++) {
        output[i] = input[i] >= 0.0f ? input[i] : input[i] * slope;
    }
}

void kiln_is_nan_f32(const float *input, uint8_t *output, int32_t size)
{
    for (int32_t i = 0; i < size; i++) {
        output[i] = kiln_is_nan(input[i]) ? 1 : 0;
    }
}

void kiln_is_inf_f32(const float *input, uint8_t *output, int32_t size)
{
    for (int32_t i = 0; i < size; i++) {
        output[i] = kiln_magnitude(input[i]) == kiln_infinity() ? 1 : 0;
    }
}

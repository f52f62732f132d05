/* e^x - 1: at most 1.5 units in the last place off. */
#include "float.h"

float kiln_expm1(float x)
{
    if (!(x > -17.5f)) {
        return kiln_is_nan(x) ? x : -1.0f;
    }
    if (x > 89.0f) {
        return kiln_infinity();
    }
    if (kiln_magnitude(x) < 0.34f) {
        return kiln_exp_small(x);
    }
    int32_t k;
    float r = kiln_exp_rest(x, &k);
    float one = k < 30 ? 1.0f - kiln_power_of_2(-k) : 1.0f;
    return kiln_scaled(one + kiln_exp_small(r), k);
}

KILN_MAP(kiln_expm1_f32, kiln_expm1(x))

void kiln_elu_f32(const float *input, float alpha, float scale, float input_scale, float *output, int32_t size)
{
    for (int32_t i = 0; i < size; i++) {
        float x = input[i];
        output[i] = x > 0.0f ? x * scale : kiln_expm1(x * input_scale) * (scale * alpha);
    }
}

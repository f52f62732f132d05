/* log(1 + x): at most 1.5, and 2 for log_sigmoid, units in the last place off. */
#include "float.h"

float kiln_log1p(float x)
{
    float sum = 1.0f + x;
    if (sum == 1.0f || sum == kiln_infinity()) {
        return x;
    }
    /* With what the sum has lost. */
    return sum > 0.0f ? kiln_log(sum) + (x - (sum - 1.0f)) / sum : kiln_log(sum);
}

static float log_sigmoid(float x)
{
    return kiln_lesser(x, 0.0f) - kiln_log1p(kiln_exp(-kiln_magnitude(x)));
}

KILN_MAP(kiln_log1p_f32, kiln_log1p(x))
KILN_MAP(kiln_log_sigmoid_f32, log_sigmoid(x))

void kiln_softplus_f32(const float *input, float beta, float threshold, float *output, int32_t size)
{
    for (int32_t i = 0; i < size; i++) {
        float x = input[i] * beta;
        output[i] = x > threshold ? input[i] : kiln_log1p(kiln_exp(x)) / beta;
    }
}

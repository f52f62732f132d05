/* Sigmoid and what is made of it: at most 2.5, and 3.5 for mish, units in the last place off where x is -80 or more. */
#include "float.h"

float kiln_sigmoid(float x)
{
    float e = kiln_exp(-kiln_magnitude(x));
    return (x >= 0.0f ? 1.0f : e) / (1.0f + e);
}

/* x tanh(log(1 + e^x)) */
static float mish(float x)
{
    if (x > 20.0f) {
        return x;
    }
    float e = kiln_exp(x), n = e * (e + 2.0f);
    return x * (n / (n + 2.0f));
}

KILN_MAP(kiln_sigmoid_f32, kiln_sigmoid(x))
KILN_MAP(kiln_silu_f32, x * kiln_sigmoid(x))
KILN_MAP(kiln_mish_f32, mish(x))

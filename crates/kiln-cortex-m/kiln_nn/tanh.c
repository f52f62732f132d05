/* Hyperbolic tangent (polynomial of Cephes' tanhf): at most 1.5 units in the last place off. The GELU is at most
 * 1.5 units of x off. */
#include "float.h"

float kiln_tanh(float x)
{
    float size = kiln_magnitude(x);
    if (size < 0.625f) {
        float z = x * x, p = -5.70498872745e-3f;
        p = p * z + 2.06390887954e-2f;
        p = p * z - 5.37397155531e-2f;
        p = p * z + 1.33314422036e-1f;
        p = p * z - 3.33332819422e-1f;
        return p * z * x + x;
    }
    float result = size > 10.0f ? 1.0f : 1.0f - 2.0f / (kiln_exp(2.0f * size) + 1.0f);
    return kiln_with_sign(result, x);
}

/* sqrt(2 / pi) (x + 0.044715 x^3) */
static float gelu_tanh(float x)
{
    float inner = 0.797884561f * (x + 0.044715f * (x * x * x));
    return 0.5f * x * (1.0f + kiln_tanh(inner));
}

KILN_MAP(kiln_tanh_f32, kiln_tanh(x))
KILN_MAP(kiln_gelu_tanh_f32, gelu_tanh(x))

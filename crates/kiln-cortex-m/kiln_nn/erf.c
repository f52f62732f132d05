/* Error function: at most 1 unit in the last place off. The GELU is at most 1.5 units of x off. */
#include "float.h"

float kiln_erf(float x)
{
    float size = kiln_magnitude(x), z = x * x;
    if (size > 0.921875f) {
        float p = -1.72853470e-5f * size + 3.83197126e-4f, q = -3.88396438e-3f * size + 2.42546219e-2f;
        p = p * z + q;
        p = p * size - 1.06777877e-1f;
        p = p * size - 6.34846687e-1f;
        p = p * size - 1.28717512e-1f;
        p = p * size - size;
        return kiln_with_sign(size > 4.0f ? 1.0f : 1.0f - kiln_exp(p), x);
    }
    float p = -5.96761703e-4f;
    p = p * z + 4.99119423e-3f;
    p = p * z - 2.67681349e-2f;
    p = p * z + 1.12819925e-1f;
    p = p * z - 3.76125336e-1f;
    p = p * z + 1.28379166e-1f;
    return p * x + x;
}

KILN_MAP(kiln_erf_f32, kiln_is_nan(x) ? x : kiln_erf(x))
KILN_MAP(kiln_gelu_f32, x * 0.5f * (1.0f + kiln_erf(x * 0.707106781f)))

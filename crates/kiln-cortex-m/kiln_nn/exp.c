/* Exponentials (polynomial of Cephes' expf): at most 1 unit in the last place off. */
#include "float.h"

float kiln_exp_rest(float x, int32_t *k)
{
    float whole = kiln_round(x * 1.44269504f);
    *k = (int32_t)whole;
    /* ln 2 in two parts: products with the first are exact. */
    return (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
}

float kiln_exp_small(float r)
{
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    return p * r * r + r;
}

float kiln_exp(float x)
{
    if (!(x > -104.0f)) {
        return kiln_is_nan(x) ? x : 0.0f;
    }
    if (x > 89.0f) {
        return kiln_infinity();
    }
    int32_t k;
    float r = kiln_exp_rest(x, &k);
    return kiln_scaled(1.0f + kiln_exp_small(r), k);
}

static float exp2_of(float x)
{
    if (!(x > -151.0f)) {
        return kiln_is_nan(x) ? x : 0.0f;
    }
    if (x > 129.0f) {
        return kiln_infinity();
    }
    float whole = kiln_round(x);
    return kiln_scaled(1.0f + kiln_exp_small((x - whole) * 0.693147181f), (int32_t)whole);
}

KILN_MAP(kiln_exp_f32, kiln_exp(x))
KILN_MAP(kiln_exp2_f32, exp2_of(x))

/* Logarithms (polynomial of Cephes' logf): at most 1, 1.1 and 1.5 units in the last place off, to e, 2 and 10. */
#include "float.h"

float kiln_mantissa(float x, int32_t *k)
{
    int32_t shift = x < 1.17549435e-38f ? 23 : 0;
    uint32_t bits = kiln_bits(shift > 0 ? x * KILN_WHOLE : x) - 0x3F3504F3u;
    *k = ((int32_t)bits >> 23) - shift;
    return kiln_of_bits((bits & 0x7FFFFFu) + 0x3F3504F3u);
}

float kiln_log_small(float f)
{
    float p = 7.0376836292e-2f, z = f * f;
    p = p * f - 1.1514610310e-1f;
    p = p * f + 1.1676998740e-1f;
    p = p * f - 1.2420140846e-1f;
    p = p * f + 1.4249322787e-1f;
    p = p * f - 1.6668057665e-1f;
    p = p * f + 2.0000714765e-1f;
    p = p * f - 2.4999993993e-1f;
    p = p * f + 3.3333331174e-1f;
    return f * z * p - 0.5f * z;
}

/* Whether x has a logarithm; if not, what is given for it. */
static bool has_log(float x, float *otherwise)
{
    *otherwise = x == 0.0f ? -kiln_infinity() : x < 0.0f ? kiln_nan() : x;
    return x > 0.0f && x < kiln_infinity();
}

float kiln_log(float x)
{
    float otherwise;
    int32_t k;
    if (!has_log(x, &otherwise)) {
        return otherwise;
    }
    float f = kiln_mantissa(x, &k) - 1.0f, whole = (float)k;
    return (f + (kiln_log_small(f) - 2.12194440e-4f * whole)) + 0.693359375f * whole;
}

/* The factors are 1 less than log2(e), and log10(2) and log10(e) in two parts. */
static float log2_of(float x)
{
    float otherwise;
    int32_t k;
    if (!has_log(x, &otherwise)) {
        return otherwise;
    }
    float f = kiln_mantissa(x, &k) - 1.0f, y = kiln_log_small(f);
    return (((y * 0.442695041f + f * 0.442695041f) + y) + f) + (float)k;
}

static float log10_of(float x)
{
    float otherwise;
    int32_t k;
    if (!has_log(x, &otherwise)) {
        return otherwise;
    }
    float f = kiln_mantissa(x, &k) - 1.0f, y = kiln_log_small(f), whole = (float)k;
    float low = (f + y) * 7.00731903e-4f + y * 0.43359375f + f * 0.43359375f;
    return (low + whole * 2.48745664e-4f) + whole * 0.30078125f;
}

KILN_MAP(kiln_log_f32, kiln_log(x))
KILN_MAP(kiln_log2_f32, log2_of(x))
KILN_MAP(kiln_log10_f32, log10_of(x))

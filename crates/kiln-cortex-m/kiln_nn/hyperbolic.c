/* Hyperbolic sine and cosine and the inverse functions: at most 1.5 and 2.5 units in the last place off. */
#include "float.h"

/* e^x / 2, which is finite where the functions are. */
static float half_exp(float x)
{
    int32_t k;
    if (x > 90.0f) {
        return kiln_infinity();
    }
    float r = kiln_exp_rest(x, &k);
    return kiln_scaled(1.0f + kiln_exp_small(r), k - 1);
}

static float sinh_of(float x)
{
    float size = kiln_magnitude(x), result;
    if (kiln_is_nan(x)) {
        return x;
    }
    if (size < 1.0f) {
        float z = x * x, p = 2.03721912945e-4f;
        p = p * z + 8.33028376239e-3f;
        p = p * z + 1.66667160211e-1f;
        result = p * z * size + size;
    } else {
        result = half_exp(size);
        result -= 0.25f / result;
    }
    return kiln_with_sign(result, x);
}

static float cosh_of(float x)
{
    if (kiln_is_nan(x)) {
        return x;
    }
    float result = half_exp(kiln_magnitude(x));
    return result + 0.25f / result;
}

static float asinh_of(float x)
{
    float size = kiln_magnitude(x), z = size * size;
    float result = size > 4096.0f ? kiln_log(size) + 0.693147181f : kiln_log1p(size + z / (1.0f + kiln_sqrt(z + 1.0f)));
    return kiln_with_sign(result, x);
}

static float acosh_of(float x)
{
    float above = x - 1.0f;
    if (x < 1.0f) {
        return kiln_nan();
    }
    return x > 4096.0f ? kiln_log(x) + 0.693147181f : kiln_log1p(above + kiln_sqrt(2.0f * above + above * above));
}

static float atanh_of(float x)
{
    float size = kiln_magnitude(x);
    return kiln_with_sign(0.5f * kiln_log1p(2.0f * size / (1.0f - size)), x);
}

KILN_MAP(kiln_sinh_f32, sinh_of(x))
KILN_MAP(kiln_cosh_f32, cosh_of(x))
KILN_MAP(kiln_asinh_f32, asinh_of(x))
KILN_MAP(kiln_acosh_f32, acosh_of(x))
KILN_MAP(kiln_atanh_f32, kiln_magnitude(x) > 1.0f ? kiln_nan() : atanh_of(x))

/* Powers: at most 1.5 units in the last place off. The logarithm is a sum of two floats. */
#include "float.h"
#include "strided.h"

/* A product, exactly, as the sum of two floats (Dekker). Factors are below 2^100, and products far from the least floats. */
typedef struct {
    float high, low;
} pair;

static void split(float x, float *high, float *low)
{
    float most = 4097.0f * x;
    *high = most - (most - x);
    *low = x - *high;
}

static pair product(float x, float y)
{
    float x_high, x_low, y_high, y_low, high = x * y;
    split(x, &x_high, &x_low);
    split(y, &y_high, &y_low);
    pair all = {high, ((x_high * y_high - high) + x_high * y_low + x_low * y_high) + x_low * y_low};
    return all;
}

/* The natural logarithm of a finite x > 0. */
static pair precise_log(float x)
{
    int32_t k;
    float m = kiln_mantissa(x, &k), f = m - 1.0f, g = m + 1.0f, whole = (float)k;
    /* s = (m - 1) / (m + 1) with what it lacks; log m = 2 (s + s^3 / 3 + s^5 / 5 + ...). */
    float s = f / g;
    pair back = product(s, g);
    float lacks = (((f - back.high) - back.low) - s * (m - (g - 1.0f))) / g;
    float z = s * s, p = 0.181818182f;
    p = p * z + 0.222222222f;
    p = p * z + 0.285714286f;
    p = p * z + 0.4f;
    p = p * z + 0.666666667f;
    float low = p * z * s + 2.0f * lacks;
    /* k ln 2, whose first part has 9 bits, and 2 s. */
    float first = 0.693359375f * whole, high = first + 2.0f * s;
    low += (first - high) + 2.0f * s - 2.12194440e-4f * whole;
    pair all = {high + low, 0.0f};
    all.low = (high - all.high) + low;
    return all;
}

/* x^y of a finite x > 0. */
static float positive_power(float x, float y)
{
    if (kiln_magnitude(y) > 8.6e9f) {
        return x == 1.0f ? 1.0f : (x > 1.0f) == (y > 0.0f) ? kiln_infinity() : 0.0f;
    }
    pair log = precise_log(x);
    if (kiln_magnitude(log.high * y) > 110.0f) {
        return (log.high > 0.0f) == (y > 0.0f) ? kiln_infinity() : 0.0f;
    }
    pair exponent = product(log.high, y);
    int32_t k;
    float r = kiln_exp_rest(exponent.high, &k);
    float e = kiln_exp_small(r), more = exponent.low + log.low * y;
    return kiln_scaled(1.0f + (e + (more + e * more)), k);
}

static float power(float x, float y)
{
    float size = kiln_magnitude(x);
    bool whole = kiln_trunc(y) == y;
    bool odd = whole && kiln_magnitude(y) < 16777216.0f && ((int32_t)y & 1) != 0;
    if (y == 0.0f || x == 1.0f) {
        return 1.0f;
    }
    if (kiln_is_nan(x) || kiln_is_nan(y) || (x < 0.0f && size < kiln_infinity() && !whole)) {
        return kiln_nan();
    }
    float result;
    if (size == 0.0f || size == kiln_infinity()) {
        result = (size == 0.0f) == (y > 0.0f) ? 0.0f : kiln_infinity();
    } else {
        result = positive_power(size, y);
    }
    return odd ? kiln_with_sign(result, x) : result;
}

void kiln_pow_f32(const kiln_strides *strides, const float *input_1, const float *input_2, float *output)
{
    KILN_PAIRS(float, float, strides, input_1, input_2, output, power(x, y));
}

/* Inverse sine, cosine and tangent (polynomials of Cephes' asinf and atanf): at most 2.5, 1.5 and 2.5 units in the
 * last place off, and 3 for the angle of a point. */
#include "float.h"
#include "strided.h"

#define HALF_PI 1.57079633f
#define PI 3.14159265f

/* The inverse sine of x from 0 to 1/2. */
static float small_arc(float x)
{
    float z = x * x, p = 4.2163199048e-2f;
    p = p * z + 2.4181311049e-2f;
    p = p * z + 4.5470025998e-2f;
    p = p * z + 7.4953002686e-2f;
    p = p * z + 1.6666752422e-1f;
    return p * z * x + x;
}

static float arc_sine(float x)
{
    float size = kiln_magnitude(x);
    if (!(size <= 1.0f)) {
        return kiln_nan();
    }
    float arc = size > 0.5f ? HALF_PI - 2.0f * small_arc(kiln_sqrt(0.5f * (1.0f - size))) : small_arc(size);
    return kiln_with_sign(arc, x);
}

static float arc_cosine(float x)
{
    float size = kiln_magnitude(x);
    if (!(size <= 1.0f)) {
        return kiln_nan();
    }
    if (size > 0.5f) {
        float arc = 2.0f * small_arc(kiln_sqrt(0.5f * (1.0f - size)));
        return x < 0.0f ? PI - arc : arc;
    }
    return HALF_PI - kiln_with_sign(small_arc(size), x);
}

static float arc_tangent(float x)
{
    float size = kiln_magnitude(x), base = 0.0f;
    if (size > 2.41421356f) {
        base = HALF_PI;
        size = -1.0f / size;
    } else if (size > 0.414213562f) {
        base = 0.785398163f;
        size = (size - 1.0f) / (size + 1.0f);
    }
    float z = size * size, p = 8.05374449538e-2f;
    p = p * z - 1.38776856032e-1f;
    p = p * z + 1.99777106478e-1f;
    p = p * z - 3.33329491539e-1f;
    return kiln_with_sign(base + (p * z * size + size), x);
}

/* The angle of (x, y). */
static float angle(float y, float x)
{
    if (kiln_is_nan(x) || kiln_is_nan(y)) {
        return kiln_nan();
    }
    float height = kiln_magnitude(y), width = kiln_magnitude(x), arc;
    if (height == width) {
        arc = height == 0.0f ? 0.0f : 0.785398163f;
    } else if (height > width) {
        arc = HALF_PI - arc_tangent(width / height);
    } else {
        arc = arc_tangent(height / width);
    }
    return kiln_with_sign(kiln_bits(x) >> 31 != 0 ? PI - arc : arc, y);
}

KILN_MAP(kiln_asin_f32, arc_sine(x))
KILN_MAP(kiln_acos_f32, arc_cosine(x))
KILN_MAP(kiln_atan_f32, arc_tangent(x))

void kiln_atan2_f32(const kiln_strides *strides, const float *input_1, const float *input_2, float *output)
{
    KILN_PAIRS(float, float, strides, input_1, input_2, output, angle(x, y));
}

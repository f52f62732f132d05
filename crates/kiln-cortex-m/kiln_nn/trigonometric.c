/* Sine, cosine and tangent (polynomials of Cephes' sinf, cosf, tanf), of all floats: at most 2.5, 2.5 and 3.3 units in the
 * last place off. */
#include "float.h"

/* x in quarter turns, for |x| of 2 and more: the nearest whole number modulo 4, and the rest in radians. */
static float far_rest(float x, uint32_t *quarters)
{
    /* 2 / pi, with 32 zeros in front of its first bit. */
    static const uint32_t bits[8] = {
        0, 0xA2F9836Eu, 0x4E441529u, 0xFC2757D1u, 0xF534DDC0u, 0xDB629599u, 0x3C439041u, 0xFE5163ABu,
    };
    uint32_t mantissa = (kiln_bits(x) & 0x7FFFFFu) | 0x800000u;
    int32_t first = (int32_t)(kiln_bits(x) >> 23 & 0xFF) - 150 + 30;
    /* The 96 bits that make quarter turns below 4 and their fraction, in three words. */
    uint32_t words[3], shift = (uint32_t)first & 31;
    for (int32_t i = 0; i < 3; i++) {
        uint64_t pair = (uint64_t)bits[(first >> 5) + i] << 32 | bits[(first >> 5) + i + 1];
        words[i] = (uint32_t)(pair >> (32 - shift));
    }
    uint64_t turns = (uint64_t)(mantissa * words[0]) << 32;
    turns += (uint64_t)mantissa * words[1] + ((uint64_t)mantissa * words[2] >> 32);
    uint64_t whole = (turns + ((uint64_t)1 << 61)) >> 62;
    *quarters = (uint32_t)whole & 3;
    int64_t rest = (int64_t)(turns - (whole << 62));
    return (float)rest * 3.40612158e-19f; /* pi / 2^63 */
}

/* The same of any finite x; the sign of x is that of the rest. */
static float rest_of(float x, uint32_t *quarters)
{
    float size = kiln_magnitude(x), rest = size;
    *quarters = 0;
    if (size >= 2.0f) {
        rest = far_rest(x, quarters);
    } else if (size > 0.785398163f) {
        *quarters = 1;
        rest = (size - 1.57079637f) + 4.37113883e-8f;
    }
    return rest;
}

static float sine_of(float r)
{
    float z = r * r, p = -1.9515295891e-4f;
    p = p * z + 8.3321608736e-3f;
    p = p * z - 1.6666654611e-1f;
    return p * z * r + r;
}

static float cosine_of(float r)
{
    float z = r * r, p = 2.4433157118e-5f;
    p = p * z - 1.3887316255e-3f;
    p = p * z + 4.1666645683e-2f;
    return p * z * z - 0.5f * z + 1.0f;
}

static float sine_or_cosine(float x, uint32_t turn, float sign)
{
    uint32_t quarters;
    if (!(kiln_magnitude(x) < kiln_infinity())) {
        return kiln_nan();
    }
    float rest = rest_of(x, &quarters);
    quarters += turn;
    float found = (quarters & 1) != 0 ? cosine_of(rest) : sine_of(rest);
    return ((quarters & 2) != 0) != (kiln_bits(sign) >> 31 != 0) ? -found : found;
}

static float tangent(float x)
{
    uint32_t quarters;
    if (!(kiln_magnitude(x) < kiln_infinity())) {
        return kiln_nan();
    }
    float r = rest_of(x, &quarters), z = r * r, p = 9.38540185543e-3f;
    p = p * z + 3.11992232697e-3f;
    p = p * z + 2.44301354525e-2f;
    p = p * z + 5.34112807005e-2f;
    p = p * z + 1.33387994085e-1f;
    p = p * z + 3.33331568548e-1f;
    p = p * z * r + r;
    p = (quarters & 1) != 0 ? -1.0f / p : p;
    return kiln_bits(x) >> 31 != 0 ? -p : p;
}

KILN_MAP(kiln_sin_f32, sine_or_cosine(x, 0, x))
KILN_MAP(kiln_cos_f32, sine_or_cosine(x, 1, 1.0f))
KILN_MAP(kiln_tan_f32, tangent(x))

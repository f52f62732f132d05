/* Quotients in whole numbers, and what remains. */
#include "float.h"
#include "strided.h"

/* Exact: what remains has no more bits than the operands. It has the sign of x. */
float kiln_fmod(float x, float y)
{
    float size = kiln_magnitude(x), divisor = kiln_magnitude(y);
    if (!(size < kiln_infinity() && divisor > 0.0f)) {
        return kiln_nan();
    }
    if (size < divisor) {
        return x;
    }
    /* The mantissas as integers, and by how many bits x is the higher. */
    uint32_t x_exponent = kiln_bits(size) >> 23, y_exponent = kiln_bits(divisor) >> 23;
    uint32_t rest = (kiln_bits(size) & 0x7FFFFFu) | (x_exponent > 0 ? 0x800000u : 0);
    uint32_t by = (kiln_bits(divisor) & 0x7FFFFFu) | (y_exponent > 0 ? 0x800000u : 0);
    uint32_t least = y_exponent > 0 ? y_exponent : 1;
    rest %= by;
    for (uint32_t i = x_exponent > 0 ? x_exponent : 1; i > least; i--) {
        rest <<= 1;
        rest -= rest >= by ? by : 0;
    }
    float result = kiln_scaled((float)rest, (int32_t)least - 150);
    return kiln_with_sign(result, x);
}

/* With the sign of y. */
static float remainder_of(float x, float y)
{
    float rest = kiln_fmod(x, y);
    return rest != 0.0f && (y < 0.0f) != (rest < 0.0f) ? rest + y : rest;
}

static float floor_quotient(float x, float y)
{
    if (y == 0.0f) {
        return x / y;
    }
    float rest = kiln_fmod(x, y), whole = (x - rest) / y;
    float quotient = rest != 0.0f && (y < 0.0f) != (rest < 0.0f) ? whole - 1.0f : whole;
    if (quotient == 0.0f) {
        return kiln_with_sign(0.0f, x / y);
    }
    /* It may have been rounded to just below or above the exact whole number. */
    float floor = kiln_floor(quotient);
    return quotient - floor > 0.5f ? floor + 1.0f : floor;
}

#define PAIRS(name, result)                                                                                                \
    void name(const kiln_strides *strides, const float *input_1, const float *input_2, float *output)                     \
    {                                                                                                                      \
        KILN_PAIRS(float, float, strides, input_1, input_2, output, result);                                              \
    }

PAIRS(kiln_fmod_f32, kiln_fmod(x, y))
PAIRS(kiln_remainder_f32, remainder_of(x, y))
PAIRS(kiln_floor_div_f32, floor_quotient(x, y))
PAIRS(kiln_trunc_div_f32, kiln_trunc(x / y))

/* Arithmetic of integers that are no quantised reals: indices, counts, masks. It wraps. */
#include "strided.h"

static int64_t divided(int64_t x, int64_t y, bool down)
{
    /* Only -2^63 / -1 overflows, to itself. */
    if (y == -1) {
        return (int64_t)(0 - (uint64_t)x);
    }
    int64_t quotient = x / y;
    return down && x % y != 0 && (x < 0) != (y < 0) ? quotient - 1 : quotient;
}

static int64_t rest(int64_t x, int64_t y, bool down)
{
    if (y == -1) {
        return 0;
    }
    int64_t left = x % y;
    return down && left != 0 && (left < 0) != (y < 0) ? left + y : left;
}

/* Bits shifted out of a number of `bits` bits are lost; a shift by more, or by less than none, leaves 0 or the sign. */
static int64_t shifted(int64_t x, int64_t by, int32_t bits, bool left)
{
    bool inside = by >= 0 && by < bits;
    if (left) {
        return inside ? (int64_t)((uint64_t)x << by) : 0;
    }
    return x >> (inside ? by : 63);
}

static int64_t power(int64_t x, int64_t y)
{
    uint64_t result = 1, square = (uint64_t)x;
    if (y < 0) {
        return x == 1 ? 1 : x != -1 ? 0 : (y & 1) != 0 ? -1 : 1;
    }
    for (; y > 0; y >>= 1, square *= square) {
        result *= (y & 1) != 0 ? square : 1;
    }
    return (int64_t)result;
}

/* A division by 0 is refused. */
static int64_t result(kiln_integer_function function, int64_t x, int64_t y, int32_t bits, bool *refused)
{
    if (y == 0 && function >= KILN_INTEGER_FLOOR_DIV && function <= KILN_INTEGER_FMOD) {
        *refused = true;
        return 0;
    }
    switch (function) {
    case KILN_INTEGER_ADD:
        return (int64_t)((uint64_t)x + (uint64_t)y);
    case KILN_INTEGER_SUB:
        return (int64_t)((uint64_t)x - (uint64_t)y);
    case KILN_INTEGER_MUL:
        return (int64_t)((uint64_t)x * (uint64_t)y);
    case KILN_INTEGER_FLOOR_DIV:
        return divided(x, y, true);
    case KILN_INTEGER_TRUNC_DIV:
        return divided(x, y, false);
    case KILN_INTEGER_REMAINDER:
        return rest(x, y, true);
    case KILN_INTEGER_FMOD:
        return rest(x, y, false);
    case KILN_INTEGER_MAX:
        return x > y ? x : y;
    case KILN_INTEGER_MIN:
        return x < y ? x : y;
    case KILN_INTEGER_AND:
        return x & y;
    case KILN_INTEGER_OR:
        return x | y;
    case KILN_INTEGER_XOR:
        return x ^ y;
    case KILN_INTEGER_SHIFT_LEFT:
        return shifted(x, y, bits, true);
    case KILN_INTEGER_SHIFT_RIGHT:
        return shifted(x, y, bits, false);
    case KILN_INTEGER_POW:
    default:
        return power(x, y);
    }
}

#define INTEGERS(name, type, bits)                                                                                         \
    arm_cmsis_nn_status name(const kiln_strides *strides, kiln_integer_function function, const type *input_1,            \
        const type *input_2, type *output)                                                                                 \
    {                                                                                                                      \
        bool refused = false;                                                                                              \
        KILN_PAIRS(type, type, strides, input_1, input_2, output, result(function, x, y, bits, &refused));                \
        return refused ? ARM_CMSIS_NN_ARG_ERROR : ARM_CMSIS_NN_SUCCESS;                                                    \
    }

INTEGERS(kiln_integers_u8, uint8_t, 8)
INTEGERS(kiln_integers_s8, int8_t, 8)
INTEGERS(kiln_integers_s16, int16_t, 16)
INTEGERS(kiln_integers_s32, int32_t, 32)
INTEGERS(kiln_integers_s64, int64_t, 64)

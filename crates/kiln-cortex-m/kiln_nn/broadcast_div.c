/* Quotient of two tensors whose shapes are broadcast. */
#include "strided.h"

/* x / y / 2^bits; halves to even. `bits` is 0 to 62. */
static uint64_t divided(uint64_t x, uint32_t y, int32_t bits)
{
    uint64_t quotient = x / y, remainder = x % y, whole = quotient >> bits, twice = 2 * remainder, half = y;
    bool inexact = false;
    if (bits > 0) {
        twice = quotient & (((uint64_t)1 << bits) - 1);
        half = (uint64_t)1 << (bits - 1);
        inexact = remainder > 0;
    }
    bool up = twice > half || (twice == half && (inexact || (whole & 1) != 0));
    return whole + (up ? 1 : 0);
}

static int32_t quotient(const kiln_operands *o, int32_t x, int32_t y)
{
    const cmsis_nn_activation range = o->activation;
    int32_t above = x + o->offset_1, below = y + o->offset_2;
    if (below == 0) {
        /* 0 / 0 is a NaN, which kiln_quantize makes 0. */
        return above > 0 ? range.max : above < 0 ? range.min : kiln_clamp(0, range.min, range.max);
    }
    uint32_t size = (uint32_t)(above < 0 ? -above : above), by = (uint32_t)(below < 0 ? -below : below);
    uint64_t result = divided((uint64_t)size * (uint32_t)o->multiplier, by, 31 - o->shift);
    /* Far more than any result and any offset of one. */
    int32_t limited = result < (1 << 24) ? (int32_t)result : 1 << 24;
    return kiln_clamp(((above < 0) != (below < 0) ? -limited : limited) + o->output_offset, range.min, range.max);
}

void kiln_div_s8(const kiln_operands *operands, const kiln_strides *strides, const int8_t *input_1, const int8_t *input_2,
    int8_t *output)
{
    KILN_BROADCAST(int8_t, strides, input_1, input_2, output, quotient(operands, x, y));
}

void kiln_div_s16(const kiln_operands *operands, const kiln_strides *strides, const int16_t *input_1, const int16_t *input_2,
    int16_t *output)
{
    KILN_BROADCAST(int16_t, strides, input_1, input_2, output, quotient(operands, x, y));
}

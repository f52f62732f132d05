/* Product of two tensors whose shapes are broadcast. */
#include "strided.h"

static inline int32_t product(const kiln_operands *o, int32_t x, int32_t y)
{
    uint32_t both = (uint32_t)(x + o->offset_1) * (uint32_t)(y + o->offset_2);
    return kiln_output_once(both, o->multiplier, o->shift, o->output_offset, o->activation);
}

void kiln_mul_s8(const kiln_operands *operands, const kiln_strides *strides, const int8_t *input_1, const int8_t *input_2,
    int8_t *output)
{
    KILN_BROADCAST(int8_t, strides, input_1, input_2, output, product(operands, x, y));
}

void kiln_mul_s16(const kiln_operands *operands, const kiln_strides *strides, const int16_t *input_1, const int16_t *input_2,
    int16_t *output)
{
    KILN_BROADCAST(int16_t, strides, input_1, input_2, output, product(operands, x, y));
}

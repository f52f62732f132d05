/* Sum and difference of two tensors whose shapes are broadcast. */
#include "strided.h"

static inline int32_t scaled(int32_t x, int32_t left_shift, int32_t multiplier, int32_t shift)
{
    return kiln_requantize(kiln_shift_left(x, left_shift), multiplier, shift);
}

/* x + sign * y */
static inline int32_t sum(const kiln_operands *o, int32_t x, int32_t y, int32_t sign)
{
    int32_t left = scaled(x + o->offset_1, o->left_shift, o->multiplier_1, o->shift_1);
    int32_t right = scaled(y + o->offset_2, o->left_shift, o->multiplier_2, o->shift_2);
    uint32_t both = (uint32_t)left + (uint32_t)sign * (uint32_t)right;
    return kiln_output(both, o->multiplier, o->shift, o->output_offset, o->activation);
}

void kiln_add_s8(const kiln_operands *operands, const kiln_strides *strides, const int8_t *input_1, const int8_t *input_2,
    int8_t *output)
{
    KILN_BROADCAST(int8_t, strides, input_1, input_2, output, sum(operands, x, y, 1));
}

void kiln_add_s16(const kiln_operands *operands, const kiln_strides *strides, const int16_t *input_1, const int16_t *input_2,
    int16_t *output)
{
    KILN_BROADCAST(int16_t, strides, input_1, input_2, output, sum(operands, x, y, 1));
}

void kiln_sub_s8(const kiln_operands *operands, const kiln_strides *strides, const int8_t *input_1, const int8_t *input_2,
    int8_t *output)
{
    KILN_BROADCAST(int8_t, strides, input_1, input_2, output, sum(operands, x, y, -1));
}

void kiln_sub_s16(const kiln_operands *operands, const kiln_strides *strides, const int16_t *input_1, const int16_t *input_2,
    int16_t *output)
{
    KILN_BROADCAST(int16_t, strides, input_1, input_2, output, sum(operands, x, y, -1));
}

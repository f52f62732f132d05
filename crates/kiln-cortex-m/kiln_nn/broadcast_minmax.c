/* The smaller and the greater elements of two tensors whose shapes are broadcast. */
#include "strided.h"

void kiln_minimum_s8(const kiln_strides *strides, const int8_t *input_1, const int8_t *input_2, int8_t *output)
{
    KILN_BROADCAST(int8_t, strides, input_1, input_2, output, kiln_min(x, y));
}

void kiln_minimum_s16(const kiln_strides *strides, const int16_t *input_1, const int16_t *input_2, int16_t *output)
{
    KILN_BROADCAST(int16_t, strides, input_1, input_2, output, kiln_min(x, y));
}

void kiln_maximum_s8(const kiln_strides *strides, const int8_t *input_1, const int8_t *input_2, int8_t *output)
{
    KILN_BROADCAST(int8_t, strides, input_1, input_2, output, kiln_max(x, y));
}

void kiln_maximum_s16(const kiln_strides *strides, const int16_t *input_1, const int16_t *input_2, int16_t *output)
{
    KILN_BROADCAST(int16_t, strides, input_1, input_2, output, kiln_max(x, y));
}

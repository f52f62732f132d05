/* Copies of [w][z][y][x] into an output that is longer along one dimension. */
#include "internal.h"

/* `blocks` blocks of `size` bytes, which lie `stride` apart in the output. */
static void copy_blocks(const int8_t *input, size_t blocks, size_t size, int8_t *output, size_t stride)
{
    for (size_t i = 0; i < blocks; i++) {
        memcpy(output + i * stride, input + i * size, size);
    }
}

void arm_concatenation_s8_x(const int8_t *input, uint16_t input_x, uint16_t input_y, uint16_t input_z, uint16_t input_w,
    int8_t *output, uint16_t output_x, uint32_t offset_x)
{
    copy_blocks(input, (size_t)input_y * input_z * input_w, input_x, output + offset_x, output_x);
}

void arm_concatenation_s8_y(const int8_t *input, uint16_t input_x, uint16_t input_y, uint16_t input_z, uint16_t input_w,
    int8_t *output, uint16_t output_y, uint32_t offset_y)
{
    size_t unit = input_x;
    copy_blocks(input, (size_t)input_z * input_w, unit * input_y, output + offset_y * unit, unit * output_y);
}

void arm_concatenation_s8_z(const int8_t *input, uint16_t input_x, uint16_t input_y, uint16_t input_z, uint16_t input_w,
    int8_t *output, uint16_t output_z, uint32_t offset_z)
{
    size_t unit = (size_t)input_x * input_y;
    copy_blocks(input, input_w, unit * input_z, output + offset_z * unit, unit * output_z);
}

void arm_concatenation_s8_w(const int8_t *input, uint16_t input_x, uint16_t input_y, uint16_t input_z, uint16_t input_w,
    int8_t *output, uint32_t offset_w)
{
    size_t unit = (size_t)input_x * input_y * input_z;
    copy_blocks(input, 1, unit * input_w, output + offset_w * unit, 0);
}

/* Softmax of the rows of int8_t. */
#include "softmax.h"

void arm_softmax_s8(const int8_t *input, int32_t num_rows, int32_t row_size, int32_t mult, int32_t shift, int32_t diff_min,
    int8_t *output)
{
    const kiln_softmax_scale scale = {mult, shift, diff_min};
    for (int32_t row = 0; row < num_rows; row++, input += row_size, output += row_size) {
        int32_t max;
        kiln_softmax_total total = kiln_softmax_total_s8(input, row_size, 1, &scale, 8, &max);
        for (int32_t i = 0; i < row_size; i++) {
            output[i] = (int8_t)kiln_clamp(kiln_softmax_share(&scale, &total, input[i] - max) + INT8_MIN, INT8_MIN, INT8_MAX);
        }
    }
}

void arm_softmax_s8_s16(const int8_t *input, int32_t num_rows, int32_t row_size, int32_t mult, int32_t shift, int32_t diff_min,
    int16_t *output)
{
    const kiln_softmax_scale scale = {mult, shift, diff_min};
    for (int32_t row = 0; row < num_rows; row++, input += row_size, output += row_size) {
        int32_t max;
        kiln_softmax_total total = kiln_softmax_total_s8(input, row_size, 1, &scale, 16, &max);
        for (int32_t i = 0; i < row_size; i++) {
            output[i] = (int16_t)kiln_clamp(kiln_softmax_share(&scale, &total, input[i] - max) + INT16_MIN, INT16_MIN, INT16_MAX);
        }
    }
}

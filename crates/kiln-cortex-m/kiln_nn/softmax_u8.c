/* Softmax of the rows of uint8_t. */
#include "softmax.h"

void arm_softmax_u8(const uint8_t *input, int32_t num_rows, int32_t row_size, int32_t mult, int32_t shift, int32_t diff_min,
    uint8_t *output)
{
    const kiln_softmax_scale scale = {mult, shift, diff_min};
    for (int32_t row = 0; row < num_rows; row++, input += row_size, output += row_size) {
        int32_t max = 0;
        uint32_t sum = 0;
        for (int32_t i = 0; i < row_size; i++) {
            max = kiln_max(max, input[i]);
        }
        for (int32_t i = 0; i < row_size; i++) {
            sum += kiln_softmax_term(&scale, input[i] - max);
        }
        kiln_softmax_total total = kiln_softmax_total_of(sum, 8);
        for (int32_t i = 0; i < row_size; i++) {
            output[i] = (uint8_t)kiln_clamp(kiln_softmax_share(&scale, &total, input[i] - max), 0, UINT8_MAX);
        }
    }
}

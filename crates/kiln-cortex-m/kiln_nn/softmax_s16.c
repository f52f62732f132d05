/* Softmax of the rows of int16_t, with tables for exp and 1 / (1 + x). */
#include "table.h"

/* 1 / sum: `bits` is what a product with it has too many. */
static int32_t reciprocal(int32_t sum, const int16_t *table, int32_t *bits)
{
    int32_t headroom = 0;
    while (headroom < 31 && ((uint32_t)sum << headroom) < ((uint32_t)1 << 31)) {
        headroom++;
    }
    *bits = 31 - headroom;
    /* The sum becomes 1 to 2 with 16 fractional bits, and its distance from 1 an integer of the table. */
    int32_t one_to_two = (kiln_shift_left(sum, headroom - 1) + (1 << 13)) >> 14;
    return (int16_t)kiln_interpolated(table, (int16_t)(one_to_two - 98304));
}

arm_cmsis_nn_status arm_softmax_s16(const int16_t *input, int32_t num_rows, int32_t row_size, int32_t mult, int32_t shift,
    const cmsis_nn_softmax_lut_s16 *softmax_params, int16_t *output)
{
    if (softmax_params->exp_lut == NULL || softmax_params->one_by_one_lut == NULL) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    for (int32_t row = 0; row < num_rows; row++, input += row_size, output += row_size) {
        int32_t max = INT16_MIN, sum = 0, bits;
        for (int32_t i = 0; i < row_size; i++) {
            max = kiln_max(max, input[i]);
        }
        for (int32_t i = 0; i < row_size; i++) {
            int32_t place = kiln_requantize(input[i] - max, mult, shift) + INT16_MAX;
            output[i] = (int16_t)kiln_interpolated(softmax_params->exp_lut, kiln_clamp(place, INT16_MIN, INT16_MAX));
            sum += output[i];
        }
        int32_t factor = reciprocal(sum, softmax_params->one_by_one_lut, &bits);
        for (int32_t i = 0; i < row_size; i++) {
            int32_t doubled = (output[i] * factor) >> (bits - 1);
            output[i] = (int16_t)((doubled + 1) >> 1);
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}

/* Sum of two tensors of one shape. */
#include "internal.h"

static inline int32_t scaled(int32_t x, int32_t left_shift, int32_t multiplier, int32_t shift)
{
    return kiln_requantize(kiln_shift_left(x, left_shift), multiplier, shift);
}

static inline uint32_t added(int32_t x, int32_t y)
{
    return (uint32_t)x + (uint32_t)y;
}

arm_cmsis_nn_status arm_elementwise_add_s8(const int8_t *input_1_vect, const int8_t *input_2_vect, int32_t input_1_offset,
    int32_t input_1_mult, int32_t input_1_shift, int32_t input_2_offset, int32_t input_2_mult, int32_t input_2_shift,
    int32_t left_shift, int8_t *output, int32_t out_offset, int32_t out_mult, int32_t out_shift, int32_t out_activation_min,
    int32_t out_activation_max, int32_t block_size)
{
    const cmsis_nn_activation range = {out_activation_min, out_activation_max};
    for (int32_t i = 0; i < block_size; i++) {
        int32_t x = scaled(input_1_vect[i] + input_1_offset, left_shift, input_1_mult, input_1_shift);
        int32_t y = scaled(input_2_vect[i] + input_2_offset, left_shift, input_2_mult, input_2_shift);
        output[i] = (int8_t)kiln_output(added(x, y), out_mult, out_shift, out_offset, range);
    }
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_elementwise_add_s16(const int16_t *input_1_vect, const int16_t *input_2_vect, int32_t input_1_offset,
    int32_t input_1_mult, int32_t input_1_shift, int32_t input_2_offset, int32_t input_2_mult, int32_t input_2_shift,
    int32_t left_shift, int16_t *output, int32_t out_offset, int32_t out_mult, int32_t out_shift, int32_t out_activation_min,
    int32_t out_activation_max, int32_t block_size)
{
    (void)input_1_offset;
    (void)input_2_offset;
    (void)out_offset;
    const cmsis_nn_activation range = {out_activation_min, out_activation_max};
    for (int32_t i = 0; i < block_size; i++) {
        int32_t x = scaled(input_1_vect[i], left_shift, input_1_mult, input_1_shift);
        int32_t y = scaled(input_2_vect[i], left_shift, input_2_mult, input_2_shift);
        output[i] = (int16_t)kiln_output(added(x, y), out_mult, out_shift, 0, range);
    }
    return ARM_CMSIS_NN_SUCCESS;
}

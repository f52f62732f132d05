/* Product of two tensors of one shape, element by element. */
#include "internal.h"

arm_cmsis_nn_status arm_elementwise_mul_s8(const int8_t *input_1_vect, const int8_t *input_2_vect, int32_t input_1_offset,
    int32_t input_2_offset, int8_t *output, int32_t out_offset, int32_t out_mult, int32_t out_shift, int32_t out_activation_min,
    int32_t out_activation_max, int32_t block_size)
{
    const cmsis_nn_activation range = {out_activation_min, out_activation_max};
    for (int32_t i = 0; i < block_size; i++) {
        int32_t product = (input_1_vect[i] + input_1_offset) * (input_2_vect[i] + input_2_offset);
        output[i] = (int8_t)kiln_output((uint32_t)product, out_mult, out_shift, out_offset, range);
    }
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_elementwise_mul_s16(const int16_t *input_1_vect, const int16_t *input_2_vect, int32_t input_1_offset,
    int32_t input_2_offset, int16_t *output, int32_t out_offset, int32_t out_mult, int32_t out_shift, int32_t out_activation_min,
    int32_t out_activation_max, int32_t block_size)
{
    (void)input_1_offset;
    (void)input_2_offset;
    (void)out_offset;
    const cmsis_nn_activation range = {out_activation_min, out_activation_max};
    for (int32_t i = 0; i < block_size; i++) {
        output[i] = (int16_t)kiln_output((uint32_t)(input_1_vect[i] * input_2_vect[i]), out_mult, out_shift, 0, range);
    }
    return ARM_CMSIS_NN_SUCCESS;
}

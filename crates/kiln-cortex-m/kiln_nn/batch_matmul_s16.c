/* Products of matrices of int16_t. */
#include "batch_matmul.h"

arm_cmsis_nn_status arm_batch_matmul_s16(const cmsis_nn_context *ctx, const cmsis_nn_bmm_params *bmm_params,
    const cmsis_nn_per_tensor_quant_params *quant_params, const cmsis_nn_dims *input_lhs_dims, const int16_t *input_lhs,
    const cmsis_nn_dims *input_rhs_dims, const int16_t *input_rhs, const cmsis_nn_dims *output_dims, int16_t *output)
{
    (void)ctx;
    const cmsis_nn_activation range = bmm_params->fc_params.activation;
    int32_t rows = input_lhs_dims->w, columns = input_rhs_dims->w, depth = input_rhs_dims->c;
    int32_t reduced = kiln_reduce(quant_params->multiplier);
    for (int32_t matrix = 0; matrix < output_dims->n * output_dims->h; matrix++) {
        int32_t n = matrix / output_dims->h, h = matrix % output_dims->h;
        const int16_t *left = input_lhs + kiln_matrix(input_lhs_dims, n, h) * rows * depth;
        for (int32_t row = 0; row < rows; row++, left += depth) {
            const int16_t *right = input_rhs + kiln_matrix(input_rhs_dims, n, h) * columns * depth;
            for (int32_t column = 0; column < columns; column++, right += depth) {
                int64_t sum = 0;
                for (int32_t i = 0; i < depth; i++) {
                    sum += left[i] * right[i];
                }
                *output++ = (int16_t)kiln_clamp(kiln_requantize_s64(sum, reduced, quant_params->shift), range.min, range.max);
            }
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}

/* Products of matrices of int8_t, each as a fully connected layer. */
#include "batch_matmul.h"

arm_cmsis_nn_status arm_batch_matmul_s8(const cmsis_nn_context *ctx, const cmsis_nn_bmm_params *bmm_params,
    const cmsis_nn_per_tensor_quant_params *quant_params, const cmsis_nn_dims *input_lhs_dims, const int8_t *input_lhs,
    const cmsis_nn_dims *input_rhs_dims, const int8_t *input_rhs, const cmsis_nn_dims *output_dims, int8_t *output)
{
    int32_t rows = input_lhs_dims->w, columns = input_rhs_dims->w, depth = input_rhs_dims->c;
    cmsis_nn_dims lhs = {rows, 1, 1, depth}, rhs = {depth, 1, 1, columns}, product = {rows, 1, 1, columns};
    for (int32_t n = 0; n < output_dims->n; n++) {
        for (int32_t h = 0; h < output_dims->h; h++, output += rows * columns) {
            const int8_t *left = input_lhs + kiln_matrix(input_lhs_dims, n, h) * rows * depth;
            const int8_t *right = input_rhs + kiln_matrix(input_rhs_dims, n, h) * columns * depth;
            arm_fully_connected_s8(ctx, &bmm_params->fc_params, quant_params, &lhs, left, &rhs, right, NULL, NULL, &product,
                output);
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}

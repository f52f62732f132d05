/* SVDF with a state of int8_t. */
#include "svdf.h"

arm_cmsis_nn_status arm_svdf_s8(const cmsis_nn_context *ctx, const cmsis_nn_context *input_ctx,
    const cmsis_nn_context *output_ctx, const cmsis_nn_svdf_params *svdf_params,
    const cmsis_nn_per_tensor_quant_params *input_quant_params, const cmsis_nn_per_tensor_quant_params *output_quant_params,
    const cmsis_nn_dims *input_dims, const int8_t *input_data, const cmsis_nn_dims *state_dims, int8_t *state_data,
    const cmsis_nn_dims *weights_feature_dims, const int8_t *weights_feature_data, const cmsis_nn_dims *weights_time_dims,
    const int8_t *weights_time_data, const cmsis_nn_dims *bias_dims, const int32_t *bias_data, const cmsis_nn_dims *output_dims,
    int8_t *output_data)
{
    (void)ctx;
    (void)input_ctx;
    (void)output_ctx;
    (void)state_dims;
    (void)bias_dims;
    (void)output_dims;
    const kiln_svdf svdf = kiln_svdf_of(svdf_params, input_quant_params, output_quant_params, input_dims, weights_feature_dims,
        weights_feature_data, weights_time_dims, weights_time_data, bias_data);
    kiln_svdf_step(&svdf, input_data, state_data, output_data, false);
    return ARM_CMSIS_NN_SUCCESS;
}

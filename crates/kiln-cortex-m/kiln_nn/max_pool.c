/* Maxima over windows. */
#include "max_pool.h"

static const cmsis_nn_tile dense = {1, 1};

arm_cmsis_nn_status arm_max_pool_s8(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,
    const cmsis_nn_dims *input_dims, const int8_t *input_data, const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
    int8_t *output_data)
{
    (void)ctx;
    return kiln_max_pool(pool_params, dense, input_dims, input_data, filter_dims, output_dims, output_data, false);
}

arm_cmsis_nn_status arm_max_pool_s16(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,
    const cmsis_nn_dims *input_dims, const int16_t *src, const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
    int16_t *dst)
{
    (void)ctx;
    return kiln_max_pool(pool_params, dense, input_dims, src, filter_dims, output_dims, dst, true);
}

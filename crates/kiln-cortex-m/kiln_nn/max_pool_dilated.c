/* Maxima over windows with dilation. */
#include "kiln_ops.h"
#include "max_pool.h"

arm_cmsis_nn_status kiln_max_pool_s8(const cmsis_nn_pool_params *params, cmsis_nn_tile dilation, const cmsis_nn_dims *input_dims,
    const int8_t *input, const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims, int8_t *output)
{
    return kiln_max_pool(params, dilation, input_dims, input, filter_dims, output_dims, output, false);
}

arm_cmsis_nn_status kiln_max_pool_s16(const cmsis_nn_pool_params *params, cmsis_nn_tile dilation, const cmsis_nn_dims *input_dims,
    const int16_t *input, const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims, int16_t *output)
{
    return kiln_max_pool(params, dilation, input_dims, input, filter_dims, output_dims, output, true);
}

/* Permutation of up to four dimensions. */
#include "internal.h"

arm_cmsis_nn_status arm_transpose_s8(const int8_t *input_data, int8_t *output_data, const cmsis_nn_dims *input_dims,
    const cmsis_nn_dims *output_dims, const cmsis_nn_transpose_params *transpose_params)
{
    (void)output_dims;
    const int32_t given[4] = {input_dims->n, input_dims->h, input_dims->w, input_dims->c};
    /* The dimensions that are there come last here, after sizes 1. */
    int32_t sizes[4] = {1, 1, 1, 1}, strides[4] = {0, 0, 0, 0}, rank = transpose_params->num_dims;
    if (rank < 1 || rank > 4) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    for (int32_t i = 0; i < rank; i++) {
        uint32_t from = transpose_params->permutations[i];
        if (from >= (uint32_t)rank) {
            return ARM_CMSIS_NN_ARG_ERROR;
        }
        int32_t stride = 1;
        for (int32_t j = (int32_t)from + 1; j < rank; j++) {
            stride *= given[j];
        }
        sizes[4 - rank + i] = given[from];
        strides[4 - rank + i] = stride;
    }
    for (int32_t n = 0; n < sizes[0]; n++) {
        for (int32_t h = 0; h < sizes[1]; h++) {
            for (int32_t w = 0; w < sizes[2]; w++) {
                const int8_t *from = input_data + n * strides[0] + h * strides[1] + w * strides[2];
                for (int32_t c = 0; c < sizes[3]; c++, from += strides[3]) {
                    *output_data++ = *from;
                }
            }
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}

/* Sums of the rows of weights, by which fully connected layers take an input's offset into their bias. */
#include "internal.h"

arm_cmsis_nn_status arm_vector_sum_s8(int32_t *vector_sum_buf, int32_t vector_cols, int32_t vector_rows,
    const int8_t *vector_data, int32_t lhs_offset, int32_t rhs_offset, const int32_t *bias_data)
{
    for (int32_t row = 0; row < vector_rows; row++, vector_data += vector_cols) {
        uint32_t sum = 0;
        for (int32_t i = 0; i < vector_cols; i++) {
            sum += (uint32_t)(vector_data[i] + rhs_offset);
        }
        vector_sum_buf[row] = (int32_t)((bias_data != NULL ? (uint32_t)bias_data[row] : 0) + sum * (uint32_t)lhs_offset);
    }
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_vector_sum_s8_s64(int64_t *vector_sum_buf, int32_t vector_cols, int32_t vector_rows,
    const int8_t *vector_data, int32_t lhs_offset, const int64_t *bias_data)
{
    for (int32_t row = 0; row < vector_rows; row++, vector_data += vector_cols) {
        int64_t sum = 0;
        for (int32_t i = 0; i < vector_cols; i++) {
            sum += vector_data[i];
        }
        vector_sum_buf[row] = (bias_data != NULL ? bias_data[row] : 0) + sum * lhs_offset;
    }
    return ARM_CMSIS_NN_SUCCESS;
}

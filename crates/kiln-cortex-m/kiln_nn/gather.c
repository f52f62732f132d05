/* Elements chosen by indices. */
#include "strided.h"

static inline bool is_index(int32_t index, int32_t size)
{
    return index >= -size && index < size;
}

arm_cmsis_nn_status kiln_gather(const void *input, int32_t outer, int32_t n, int32_t inner_bytes, const int32_t *indices,
    int32_t count, void *output)
{
    for (int32_t i = 0; i < count; i++) {
        if (!is_index(indices[i], n)) {
            return ARM_CMSIS_NN_ARG_ERROR;
        }
    }
    const char *from = input;
    char *to = output;
    for (int32_t o = 0; o < outer; o++, from += n * inner_bytes) {
        for (int32_t i = 0; i < count; i++, to += inner_bytes) {
            int32_t index = indices[i] < 0 ? indices[i] + n : indices[i];
            memcpy(to, from + index * inner_bytes, (size_t)inner_bytes);
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}

/* One pass over the indices; without an output it only looks whether all are in range. */
static bool each_index(const kiln_strides *strides, int32_t axis_size, int32_t axis_stride, int32_t element_size,
    const char *input, const int32_t *indices, char *output)
{
    int32_t last = strides->rank - 1, rows = kiln_row_count(strides->rank, strides->sizes);
    kiln_row row = {{0}, 0, 0};
    for (int32_t r = 0; r < rows; r++, kiln_next_row(strides, &row)) {
        for (int32_t i = 0; i < strides->sizes[last]; i++) {
            int32_t index = indices[row.first_2 + i * strides->strides_2[last]];
            if (output == NULL) {
                if (!is_index(index, axis_size)) {
                    return false;
                }
                continue;
            }
            int32_t at = row.first_1 + i * strides->strides_1[last] + (index < 0 ? index + axis_size : index) * axis_stride;
            kiln_put(output, input + (ptrdiff_t)at * element_size, element_size);
            output += element_size;
        }
    }
    return true;
}

arm_cmsis_nn_status kiln_gather_elements(const kiln_strides *strides, int32_t axis_size, int32_t axis_stride, int32_t element_size,
    const void *input, const int32_t *indices, void *output)
{
    if (!kiln_is_element(element_size) || !each_index(strides, axis_size, axis_stride, element_size, input, indices, NULL)) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    each_index(strides, axis_size, axis_stride, element_size, input, indices, output);
    return ARM_CMSIS_NN_SUCCESS;
}

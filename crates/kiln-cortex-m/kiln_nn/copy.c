/* Copies by strides. */
#include "strided.h"

arm_cmsis_nn_status kiln_copy(const kiln_strides *strides, int32_t element_size, const void *input, void *output)
{
    if (!kiln_is_element(element_size)) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    int32_t last = strides->rank - 1, size = strides->sizes[last], rows = kiln_row_count(strides->rank, strides->sizes);
    ptrdiff_t step_1 = (ptrdiff_t)strides->strides_1[last] * element_size;
    ptrdiff_t step_2 = (ptrdiff_t)strides->strides_2[last] * element_size;
    bool dense = step_1 == element_size && step_2 == element_size;
    kiln_row row = {{0}, 0, 0};
    for (int32_t r = 0; r < rows; r++, kiln_next_row(strides, &row)) {
        const char *from = (const char *)input + (ptrdiff_t)row.first_1 * element_size;
        char *to = (char *)output + (ptrdiff_t)row.first_2 * element_size;
        if (dense) {
            memcpy(to, from, (size_t)(size * element_size));
            continue;
        }
        for (int32_t i = 0; i < size; i++) {
            kiln_put(to + i * step_2, from + i * step_1, element_size);
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}

/* Elements of one tensor or another, by a third. */
#include "strided.h"

arm_cmsis_nn_status kiln_select(const kiln_strides *strides, const kiln_strides *condition_strides, int32_t element_size,
    const uint8_t *condition, const void *input_1, const void *input_2, void *output)
{
    if (!kiln_is_element(element_size)) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    const kiln_strides *s = strides;
    int32_t last = s->rank - 1, rows = kiln_row_count(s->rank, s->sizes);
    kiln_row row = {{0}, 0, 0}, condition_row = {{0}, 0, 0};
    char *to = output;
    for (int32_t r = 0; r < rows; r++) {
        for (int32_t i = 0; i < s->sizes[last]; i++, to += element_size) {
            bool first = condition[condition_row.first_1 + i * condition_strides->strides_1[last]] != 0;
            int32_t at = first ? row.first_1 + i * s->strides_1[last] : row.first_2 + i * s->strides_2[last];
            kiln_put(to, (const char *)(first ? input_1 : input_2) + (ptrdiff_t)at * element_size, element_size);
        }
        kiln_next_row(s, &row);
        kiln_next_row(condition_strides, &condition_row);
    }
    return ARM_CMSIS_NN_SUCCESS;
}

/* Values put to places that indices choose. */
#include "float.h"
#include "strided.h"

static bool are_indices(const kiln_strides *strides, int32_t axis_size, const int32_t *indices)
{
    int32_t last = strides->rank - 1, rows = kiln_row_count(strides->rank, strides->sizes);
    kiln_row row = {{0}, 0, 0};
    for (int32_t r = 0; r < rows; r++, kiln_next_row(strides, &row)) {
        for (int32_t i = 0; i < strides->sizes[last]; i++) {
            int32_t index = indices[row.first_2 + i * strides->strides_2[last]];
            if (index < -axis_size || index >= axis_size) {
                return false;
            }
        }
    }
    return true;
}

/* Integers are added and multiplied as those of `bits`. */
#define SCATTER(name, type, bits, greater, lesser)                                                                         \
    static type name##_changed(kiln_scatter_function function, type x, type y)                                            \
    {                                                                                                                      \
        switch (function) {                                                                                                \
        case KILN_SCATTER_ADD:                                                                                             \
            return (type)((bits)x + (bits)y);                                                                              \
        case KILN_SCATTER_MUL:                                                                                             \
            return (type)((bits)x * (bits)y);                                                                              \
        case KILN_SCATTER_MAX:                                                                                             \
            return (greater);                                                                                              \
        case KILN_SCATTER_MIN:                                                                                             \
            return (lesser);                                                                                               \
        case KILN_SCATTER_SET:                                                                                             \
        default:                                                                                                           \
            return y;                                                                                                      \
        }                                                                                                                  \
    }                                                                                                                      \
                                                                                                                           \
    arm_cmsis_nn_status name(const kiln_strides *strides, const kiln_strides *source_strides,                             \
        kiln_scatter_function function, int32_t axis_size, int32_t axis_stride, const type *source,                       \
        const int32_t *indices, type *output)                                                                              \
    {                                                                                                                      \
        int32_t last = strides->rank - 1, rows = kiln_row_count(strides->rank, strides->sizes);                            \
        kiln_row row = {{0}, 0, 0}, from = {{0}, 0, 0};                                                                    \
        if (!are_indices(strides, axis_size, indices)) {                                                                   \
            return ARM_CMSIS_NN_ARG_ERROR;                                                                                 \
        }                                                                                                                  \
        for (int32_t r = 0; r < rows; r++) {                                                                               \
            for (int32_t i = 0; i < strides->sizes[last]; i++) {                                                           \
                int32_t index = indices[row.first_2 + i * strides->strides_2[last]];                                       \
                index += index < 0 ? axis_size : 0;                                                                        \
                type *to = output + row.first_1 + i * strides->strides_1[last] + index * axis_stride;                      \
                *to = name##_changed(function, *to, source[from.first_1 + i * source_strides->strides_1[last]]);          \
            }                                                                                                              \
            kiln_next_row(strides, &row);                                                                                  \
            kiln_next_row(source_strides, &from);                                                                          \
        }                                                                                                                  \
        return ARM_CMSIS_NN_SUCCESS;                                                                                       \
    }

SCATTER(kiln_scatter_f32, float, float, kiln_greater(x, y), kiln_lesser(x, y))
SCATTER(kiln_scatter_s8, int8_t, uint32_t, x > y ? x : y, x < y ? x : y)
SCATTER(kiln_scatter_u8, uint8_t, uint32_t, x > y ? x : y, x < y ? x : y)
SCATTER(kiln_scatter_s16, int16_t, uint32_t, x > y ? x : y, x < y ? x : y)
SCATTER(kiln_scatter_s32, int32_t, uint32_t, x > y ? x : y, x < y ? x : y)
SCATTER(kiln_scatter_s64, int64_t, uint64_t, x > y ? x : y, x < y ? x : y)

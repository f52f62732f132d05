/* Images of another size. */
#include "internal.h"
#include "kiln_ops.h"

/* Whether the elements of each of `count` results lie on an axis of `size`. */
static bool lie_on(const int32_t *table, int32_t count, int32_t taps, int32_t size)
{
    for (int32_t i = 0; i < count; i++, table += 1 + taps) {
        if (*table < 0 || *table > size - taps) {
            return false;
        }
    }
    return true;
}

#define RESIZE(name, type)                                                                                                 \
    static uint32_t name##_sum(const type *input, uint32_t offset, int32_t row_step, int32_t column_step,                 \
        const int32_t *row, int32_t row_taps, const int32_t *column, int32_t column_taps)                                 \
    {                                                                                                                      \
        uint32_t sum = 0;                                                                                                  \
        for (int32_t i = 1; i <= row_taps; i++, input += row_step) {                                                       \
            uint32_t along = 0;                                                                                            \
            for (int32_t j = 0; j < column_taps; j++) {                                                                    \
                const int32_t x = input[j * column_step];                                                                  \
                along += ((uint32_t)x + offset) * (uint32_t)column[1 + j];                                                 \
            }                                                                                                              \
            sum += along * (uint32_t)row[i];                                                                               \
        }                                                                                                                  \
        return sum;                                                                                                        \
    }                                                                                                                      \
                                                                                                                           \
    arm_cmsis_nn_status name(const kiln_scaling *scaling, const cmsis_nn_dims *input_dims, const type *input,             \
        const int32_t *rows, int32_t row_taps, const int32_t *columns, int32_t column_taps,                               \
        const cmsis_nn_dims *output_dims, type *output)                                                                   \
    {                                                                                                                      \
        const kiln_scaling s = *scaling;                                                                                   \
        const int32_t channels = input_dims->c, line = input_dims->w * channels;                                           \
        if (!lie_on(rows, output_dims->h, row_taps, input_dims->h)                                                         \
            || !lie_on(columns, output_dims->w, column_taps, input_dims->w)) {                                             \
            return ARM_CMSIS_NN_ARG_ERROR;                                                                                 \
        }                                                                                                                  \
        for (int32_t n = 0; n < input_dims->n; n++, input += input_dims->h * line) {                                       \
            const int32_t *row = rows;                                                                                     \
            for (int32_t y = 0; y < output_dims->h; y++, row += 1 + row_taps) {                                            \
                const int32_t *column = columns;                                                                           \
                for (int32_t x = 0; x < output_dims->w; x++, column += 1 + column_taps) {                                  \
                    const type *from = input + *row * line + *column * channels;                                           \
                    for (int32_t c = 0; c < channels; c++) {                                                               \
                        uint32_t sum = name##_sum(from + c, (uint32_t)s.input_offset, line, channels, row, row_taps,       \
                            column, column_taps);                                                                          \
                        *output++ = (type)kiln_output_once(sum, s.multiplier, s.shift, s.output_offset, s.activation);     \
                    }                                                                                                      \
                }                                                                                                          \
            }                                                                                                              \
        }                                                                                                                  \
        return ARM_CMSIS_NN_SUCCESS;                                                                                       \
    }

RESIZE(kiln_resize_s8, int8_t)
RESIZE(kiln_resize_s16, int16_t)

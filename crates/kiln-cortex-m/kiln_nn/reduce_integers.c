/* Reductions of integers along the middle axis; sums and products wrap. */
#include "internal.h"
#include "kiln_ops.h"

#define REDUCE(name, type, bits, start, step)                                                                              \
    void name(const type *input, int32_t outer, int32_t n, int32_t inner, type *output)                                   \
    {                                                                                                                      \
        for (int32_t i = 0; i < outer; i++, input += n * inner) {                                                          \
            for (int32_t j = 0; j < inner; j++) {                                                                          \
                bits so_far = (bits)(start);                                                                               \
                for (int32_t k = 0; k < n; k++) {                                                                          \
                    const type x = input[k * inner + j];                                                                   \
                    so_far = (bits)(step);                                                                                 \
                }                                                                                                          \
                *output++ = (type)so_far;                                                                                  \
            }                                                                                                              \
        }                                                                                                                  \
    }

REDUCE(kiln_sum_s32, int32_t, uint32_t, 0, so_far + (uint32_t)x)
REDUCE(kiln_sum_s64, int64_t, uint64_t, 0, so_far + (uint64_t)x)
REDUCE(kiln_prod_s32, int32_t, uint32_t, 1, so_far * (uint32_t)x)
REDUCE(kiln_prod_s64, int64_t, uint64_t, 1, so_far * (uint64_t)x)
REDUCE(kiln_max_u8, uint8_t, uint8_t, 0, x > so_far ? x : so_far)
REDUCE(kiln_max_s8, int8_t, int8_t, INT8_MIN, x > so_far ? x : so_far)
REDUCE(kiln_max_s16, int16_t, int16_t, INT16_MIN, x > so_far ? x : so_far)
REDUCE(kiln_max_s32, int32_t, int32_t, INT32_MIN, x > so_far ? x : so_far)
REDUCE(kiln_max_s64, int64_t, int64_t, INT64_MIN, x > so_far ? x : so_far)
REDUCE(kiln_min_u8, uint8_t, uint8_t, UINT8_MAX, x < so_far ? x : so_far)
REDUCE(kiln_min_s8, int8_t, int8_t, INT8_MAX, x < so_far ? x : so_far)
REDUCE(kiln_min_s16, int16_t, int16_t, INT16_MAX, x < so_far ? x : so_far)
REDUCE(kiln_min_s32, int32_t, int32_t, INT32_MAX, x < so_far ? x : so_far)
REDUCE(kiln_min_s64, int64_t, int64_t, INT64_MAX, x < so_far ? x : so_far)

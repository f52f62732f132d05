/* Running sums, products and extremes along the middle axis, in order; integers wrap. */
#include "float.h"

#define SCAN(name, type, bits, start, step)                                                                                \
    void name(const type *input, int32_t outer, int32_t n, int32_t inner, type *output)                                   \
    {                                                                                                                      \
        for (int32_t i = 0; i < outer; i++, input += n * inner, output += n * inner) {                                     \
            for (int32_t j = 0; j < inner; j++) {                                                                          \
                bits so_far = (bits)(start);                                                                               \
                for (int32_t k = j; k < n * inner; k += inner) {                                                           \
                    const bits x = (bits)input[k];                                                                         \
                    so_far = (step);                                                                                       \
                    output[k] = (type)so_far;                                                                              \
                }                                                                                                          \
            }                                                                                                              \
        }                                                                                                                  \
    }

SCAN(kiln_cumsum_f32, float, float, 0, so_far + x)
SCAN(kiln_cumsum_s32, int32_t, uint32_t, 0, so_far + x)
SCAN(kiln_cumsum_s64, int64_t, uint64_t, 0, so_far + x)
SCAN(kiln_cumprod_f32, float, float, 1, so_far * x)
SCAN(kiln_cumprod_s32, int32_t, uint32_t, 1, so_far * x)
SCAN(kiln_cumprod_s64, int64_t, uint64_t, 1, so_far * x)
SCAN(kiln_cummax_f32, float, float, -kiln_infinity(), kiln_greater(so_far, x))
SCAN(kiln_cummax_s32, int32_t, int32_t, INT32_MIN, so_far > x ? so_far : x)
SCAN(kiln_cummax_s64, int64_t, int64_t, INT64_MIN, so_far > x ? so_far : x)
SCAN(kiln_cummin_f32, float, float, kiln_infinity(), kiln_lesser(so_far, x))
SCAN(kiln_cummin_s32, int32_t, int32_t, INT32_MAX, so_far < x ? so_far : x)
SCAN(kiln_cummin_s64, int64_t, int64_t, INT64_MAX, so_far < x ? so_far : x)

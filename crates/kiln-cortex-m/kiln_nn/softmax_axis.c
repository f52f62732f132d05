/* Softmax of int8_t along any axis. */
#include "kiln_ops.h"
#include "softmax.h"

void kiln_softmax_s8(const int8_t *input, int32_t outer, int32_t n, int32_t inner, int32_t multiplier, int32_t shift,
    int32_t diff_min, int8_t *output)
{
    const kiln_softmax_scale scale = {multiplier, shift, diff_min};
    for (int32_t i = 0; i < outer * inner; i++) {
        int32_t first = i / inner * n * inner + i % inner, max;
        kiln_softmax_total total = kiln_softmax_total_s8(input + first, n, inner, &scale, 8, &max);
        for (int32_t k = first; k < first + n * inner; k += inner) {
            output[k] = (int8_t)kiln_clamp(kiln_softmax_share(&scale, &total, input[k] - max) + INT8_MIN, INT8_MIN, INT8_MAX);
        }
    }
}

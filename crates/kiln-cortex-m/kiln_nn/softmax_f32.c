/* Softmax and its logarithm along the middle axis. */
#include "float.h"

/* The greatest element of a row, which NaN is, and the sum of exponentials of differences from it. */
static float row_total(const float *row, int32_t n, int32_t inner, float *greatest)
{
    float max = row[0], sum = 0.0f;
    for (int32_t k = 1; k < n; k++) {
        max = kiln_greater(max, row[k * inner]);
    }
    for (int32_t k = 0; k < n; k++) {
        sum += kiln_exp(row[k * inner] - max);
    }
    *greatest = max;
    return sum;
}

void kiln_softmax_f32(const float *input, int32_t outer, int32_t n, int32_t inner, float *output)
{
    for (int32_t i = 0; i < outer * inner; i++) {
        int32_t first = i / inner * n * inner + i % inner;
        float max, sum = row_total(input + first, n, inner, &max);
        for (int32_t k = first; k < first + n * inner; k += inner) {
            output[k] = kiln_exp(input[k] - max) / sum;
        }
    }
}

void kiln_log_softmax_f32(const float *input, int32_t outer, int32_t n, int32_t inner, float *output)
{
    for (int32_t i = 0; i < outer * inner; i++) {
        int32_t first = i / inner * n * inner + i % inner;
        float max, sum = kiln_log(row_total(input + first, n, inner, &max));
        for (int32_t k = first; k < first + n * inner; k += inner) {
            output[k] = (input[k] - max) - sum;
        }
    }
}

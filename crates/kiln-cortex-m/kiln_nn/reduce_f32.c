/* Reductions along the middle axis, in order. */
#include "float.h"

#define REDUCE(name, type, start, step, result)                                                                            \
    void name(const type *input, int32_t outer, int32_t n, int32_t inner, type *output)                                   \
    {                                                                                                                      \
        for (int32_t i = 0; i < outer; i++, input += n * inner) {                                                          \
            for (int32_t j = 0; j < inner; j++) {                                                                          \
                type so_far = (start);                                                                                     \
                for (int32_t k = 0; k < n; k++) {                                                                          \
                    const type x = input[k * inner + j];                                                                   \
                    so_far = (type)(step);                                                                                 \
                }                                                                                                          \
                *output++ = (type)(result);                                                                                \
            }                                                                                                              \
        }                                                                                                                  \
    }

/* The sum of elements that lie `step` apart: of sums of 32 sums of 32, so that roundings of long sums do not add up. */
static float summed(const float *x, int32_t n, int32_t step)
{
    enum { SHORT = 32, LONG = SHORT * SHORT };
    float all = 0.0f;
    for (int32_t first = 0; first < n; first += LONG) {
        float sums = 0.0f;
        const int32_t end = kiln_min(first + LONG, n);
        for (int32_t from = first; from < end; from += SHORT) {
            float sum = 0.0f;
            for (int32_t k = from; k < kiln_min(from + SHORT, end); k++) {
                sum += x[k * step];
            }
            sums += sum;
        }
        all += sums;
    }
    return all;
}

#define SUMMED(name, result)                                                                                               \
    void name(const float *input, int32_t outer, int32_t n, int32_t inner, float *output)                                 \
    {                                                                                                                      \
        for (int32_t i = 0; i < outer; i++, input += n * inner) {                                                          \
            for (int32_t j = 0; j < inner; j++) {                                                                          \
                const float sum = summed(input + j, n, inner);                                                             \
                *output++ = (result);                                                                                      \
            }                                                                                                              \
        }                                                                                                                  \
    }

SUMMED(kiln_sum_f32, sum)
SUMMED(kiln_mean_f32, sum / (float)n)
REDUCE(kiln_prod_f32, float, 1.0f, so_far * x, so_far)
REDUCE(kiln_max_f32, float, -kiln_infinity(), kiln_greater(so_far, x), so_far)
REDUCE(kiln_min_f32, float, kiln_infinity(), kiln_lesser(so_far, x), so_far)

/* Where `x` takes the place of the best so far. */
#define ARG(name, beats)                                                                                                   \
    void name(const float *input, int32_t outer, int32_t n, int32_t inner, int32_t *output)                               \
    {                                                                                                                      \
        for (int32_t i = 0; i < outer; i++, input += n * inner) {                                                          \
            for (int32_t j = 0; j < inner; j++) {                                                                          \
                int32_t at = 0;                                                                                            \
                for (int32_t k = 1; k < n; k++) {                                                                          \
                    const float x = input[k * inner + j], best = input[at * inner + j];                                    \
                    at = (beats) ? k : at;                                                                                 \
                }                                                                                                          \
                *output++ = at;                                                                                            \
            }                                                                                                              \
        }                                                                                                                  \
    }

/* The first of equal elements counts, and NaN exceeds all numbers. */
ARG(kiln_argmax_f32, !kiln_is_nan(best) && (kiln_is_nan(x) || x > best))
ARG(kiln_argmin_f32, !kiln_is_nan(best) && (kiln_is_nan(x) || x < best))
/* Of several NaN, the last one counts. */
ARG(kiln_max_pool_place_f32, kiln_is_nan(x) || x > best)

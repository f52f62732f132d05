/* Where the greatest integer along an axis is. */
#include "kiln_ops.h"

#define ARGMAX(name, type)                                                                                                 \
    void name(const type *input, int32_t outer, int32_t n, int32_t inner, int32_t *output)                                 \
    {                                                                                                                      \
        for (int32_t i = 0; i < outer; i++, input += n * inner) {                                                          \
            for (int32_t j = 0; j < inner; j++) {                                                                          \
                int32_t best = 0;                                                                                          \
                for (int32_t k = 1; k < n; k++) {                                                                          \
                    best = input[k * inner + j] > input[best * inner + j] ? k : best;                                      \
                }                                                                                                          \
                *output++ = best;                                                                                          \
            }                                                                                                              \
        }                                                                                                                  \
    }

ARGMAX(kiln_argmax_s8, int8_t)
ARGMAX(kiln_argmax_s16, int16_t)

/* Sums and means along an axis. */
#include "internal.h"
#include "kiln_ops.h"

#define SUM(name, type)                                                                                                    \
    void name(const kiln_scaling *scaling, const type *input, int32_t outer, int32_t n, int32_t inner, type *output)       \
    {                                                                                                                      \
        const kiln_scaling s = *scaling;                                                                                   \
        const uint32_t offsets = (uint32_t)n * (uint32_t)s.input_offset;                                                   \
        for (int32_t i = 0; i < outer; i++, input += n * inner) {                                                          \
            for (int32_t j = 0; j < inner; j++) {                                                                          \
                uint32_t sum = offsets;                                                                                    \
                for (int32_t k = j; k < n * inner; k += inner) {                                                           \
                    const int32_t x = input[k];                                                                            \
                    sum += (uint32_t)x;                                                                                    \
                }                                                                                                          \
                *output++ = (type)kiln_output_once(sum, s.multiplier, s.shift, s.output_offset, s.activation);             \
            }                                                                                                              \
        }                                                                                                                  \
    }

SUM(kiln_sum_s8, int8_t)
SUM(kiln_sum_s16, int16_t)

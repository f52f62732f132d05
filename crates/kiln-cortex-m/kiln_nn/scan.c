/* Running sums along the middle axis, in order; integers wrap. */
#include "float.h"

#define CUMSUM(name, type, bits)                                                                                           \
    void name(const type *input, int32_t outer, int32_t n, int32_t inner, type *output)                                   \
    {                                                                                                                      \
        for (int32_t i = 0; i < outer; i++, input += n * inner, output += n * inner) {                                     \
            for (int32_t j = 0; j < inner; j++) {                                                                          \
                bits sum = 0;                                                                                              \
                for (int32_t k = j; k < n * inner; k += inner) {                                                           \
                    sum += (bits)input[k];                                                                                 \
                    output[k] = (type)sum;                                                                                 \
                }                                                                                                          \
            }                                                                                                              \
        }                                                                                                                  \
    }

CUMSUM(kiln_cumsum_f32, float, float)
CUMSUM(kiln_cumsum_s32, int32_t, uint32_t)
CUMSUM(kiln_cumsum_s64, int64_t, uint64_t)

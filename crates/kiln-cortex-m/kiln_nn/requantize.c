/* Integers of one quantisation as those of another. */
#include "internal.h"
#include "kiln_ops.h"

#define REQUANTIZE(name, from, to)                                                                                        \
    void name(const kiln_scaling *scaling, const from *input, to *output, int32_t size)                                   \
    {                                                                                                                     \
        const kiln_scaling s = *scaling;                                                                                  \
        for (int32_t i = 0; i < size; i++) {                                                                              \
            uint32_t x = (uint32_t)input[i] + (uint32_t)s.input_offset;                                                   \
            output[i] = (to)kiln_output_once(x, s.multiplier, s.shift, s.output_offset, s.activation);                    \
        }                                                                                                                 \
    }

REQUANTIZE(kiln_requantize_s8_s8, int8_t, int8_t)
REQUANTIZE(kiln_requantize_s8_s16, int8_t, int16_t)
REQUANTIZE(kiln_requantize_s16_s8, int16_t, int8_t)
REQUANTIZE(kiln_requantize_s16_s16, int16_t, int16_t)
REQUANTIZE(kiln_requantize_s32_s8, int32_t, int8_t)
REQUANTIZE(kiln_requantize_s32_s16, int32_t, int16_t)

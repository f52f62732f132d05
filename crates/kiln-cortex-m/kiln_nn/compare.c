/* Comparisons. A NaN is unequal to everything, and neither less nor greater. */
#include "strided.h"

#define COMPARE(name, type)                                                                                                \
    void name(const kiln_strides *strides, kiln_comparison comparison, const type *input_1, const type *input_2,          \
        uint8_t *output)                                                                                                   \
    {                                                                                                                      \
        switch (comparison) {                                                                                              \
        case KILN_EQUAL:                                                                                                   \
            KILN_PAIRS(type, uint8_t, strides, input_1, input_2, output, x == y);                                         \
            break;                                                                                                         \
        case KILN_NOT_EQUAL:                                                                                               \
            KILN_PAIRS(type, uint8_t, strides, input_1, input_2, output, x != y);                                         \
            break;                                                                                                         \
        case KILN_LESS:                                                                                                    \
            KILN_PAIRS(type, uint8_t, strides, input_1, input_2, output, x < y);                                          \
            break;                                                                                                         \
        case KILN_LESS_EQUAL:                                                                                              \
        default:                                                                                                           \
            KILN_PAIRS(type, uint8_t, strides, input_1, input_2, output, x <= y);                                         \
        }                                                                                                                  \
    }

COMPARE(kiln_compare_f32, float)
COMPARE(kiln_compare_s8, int8_t)
COMPARE(kiln_compare_u8, uint8_t)
COMPARE(kiln_compare_s16, int16_t)
COMPARE(kiln_compare_s32, int32_t)
COMPARE(kiln_compare_s64, int64_t)

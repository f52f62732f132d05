/* Functions of two floats that need no approximation. */
#include "float.h"
#include "strided.h"

#define PAIRS(name, result)                                                                                                \
    void name(const kiln_strides *strides, const float *input_1, const float *input_2, float *output)                     \
    {                                                                                                                      \
        KILN_PAIRS(float, float, strides, input_1, input_2, output, result);                                              \
    }

PAIRS(kiln_add_f32, x + y)
PAIRS(kiln_sub_f32, x - y)
PAIRS(kiln_mul_f32, x * y)
PAIRS(kiln_div_f32, x / y)
PAIRS(kiln_maximum_f32, kiln_greater(x, y))
PAIRS(kiln_minimum_f32, kiln_lesser(x, y))
PAIRS(kiln_prelu_f32, x > 0.0f ? x : x * y)

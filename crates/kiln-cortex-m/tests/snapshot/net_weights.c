#include "net_weights.h"

/* conv.weight: i8[54] */
const int8_t net_conv_weight[54] = {
    0, 37, 74, 111, -108, -71, -34, 3, 40, 77, 114, -105, -68, -31, 6, 43, 80, 117, -102, -65, -28, 9, 46, 83, 120,
    -99, -62, -25, 12, 49, 86, 123, -96, -59, -22, 15, 52, 89, 126, -93, -56, -19, 18, 55, 92, -127, -90, -53, -16, 21,
    58, 95, -124, -87,
};

/* conv.bias: i32[2] */
const int32_t net_conv_bias[2] = {
    263, -16,
};

/* step: i8[32] */
const int8_t net_step_initial[32] = {
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
};

/* conv: multiplier */
const int32_t net_conv_multiplier[2] = {
    1073741824, 1234567890,
};

/* conv: shift */
const int32_t net_conv_shift[2] = {
    -7, -8,
};

/* The constants of net, of 110 bytes. For net.c alone. */
#ifndef KILN_MODEL_NET_WEIGHTS_H
#define KILN_MODEL_NET_WEIGHTS_H

#include <stdint.h>

extern const int8_t net_conv_weight[54];
extern const int32_t net_conv_bias[2];
extern const int8_t net_step_initial[32];
extern const int32_t net_conv_multiplier[2];
extern const int32_t net_conv_shift[2];

#endif

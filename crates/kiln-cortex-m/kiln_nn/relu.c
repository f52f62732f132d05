/* Clamping in place. */
#include "internal.h"

void arm_relu_q7(int8_t *data, uint16_t size)
{
    for (int32_t i = 0; i < size; i++) {
        data[i] = data[i] < 0 ? 0 : data[i];
    }
}

void arm_relu_q15(int16_t *data, uint16_t size)
{
    for (int32_t i = 0; i < size; i++) {
        data[i] = data[i] < 0 ? 0 : data[i];
    }
}

void arm_relu6_s8(int8_t *data, uint16_t size)
{
    for (int32_t i = 0; i < size; i++) {
        data[i] = (int8_t)kiln_clamp(data[i], 0, 6);
    }
}

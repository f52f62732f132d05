/* A copy. */
#include "internal.h"

void arm_reshape_s8(const int8_t *input, int8_t *output, uint32_t total_size)
{
    memmove(output, input, total_size);
}

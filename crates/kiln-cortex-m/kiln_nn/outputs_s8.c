/* The results of a layer of int8_t for its sums: as many multiplications as the products of a small kernel cost. */
#include "internal.h"

void kiln_outputs_s8(const uint32_t *sums, int32_t count, const int32_t *multiplier, const int32_t *shift, int32_t offset,
    cmsis_nn_activation range, int8_t *output)
{
    for (int32_t i = 0; i < count; i++) {
        output[i] = (int8_t)kiln_output(sums[i], multiplier[i], shift[i], offset, range);
    }
}

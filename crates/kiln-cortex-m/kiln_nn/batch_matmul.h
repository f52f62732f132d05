/* Which matrices of the operands of a batch of products belong together. */
#ifndef KILN_NN_BATCH_MATMUL_H
#define KILN_NN_BATCH_MATMUL_H

#include "internal.h"

/* The index of the operand's matrix for matrix n, h of the output: sizes 1 are repeated. */
static inline int32_t kiln_matrix(const cmsis_nn_dims *dims, int32_t n, int32_t h)
{
    return (dims->n == 1 ? 0 : n) * dims->h + (dims->h == 1 ? 0 : h);
}

#endif

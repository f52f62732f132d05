/* The windows of a pooling, which lie over all channels of the input. */
#ifndef KILN_NN_POOL_H
#define KILN_NN_POOL_H

#include "window.h"

/* A window's elements in the input: `rows` by `columns`, of which one is `first` and the next ones a row and a column on. */
typedef struct {
    int32_t rows, columns;
    int32_t first, row, column;
} kiln_pool_window;

static inline kiln_pool_window kiln_pool_window_at(const cmsis_nn_dims *input, kiln_taps y, kiln_taps x)
{
    kiln_pool_window window = {
        y.count, x.count, (y.input * input->w + x.input) * input->c, y.input_step * input->w * input->c, x.input_step * input->c,
    };
    if (window.columns == 0 || window.rows == 0) {
        window.rows = 0;
        window.first = 0;
    }
    return window;
}

/* How many elements of the input with its padding the window at `place` has along an axis. */
static inline int32_t kiln_padded_taps(const kiln_axis *axis, int32_t place)
{
    int32_t first = place * axis->stride - axis->padding;
    return kiln_clamp(axis->size + axis->padding - first, 0, axis->taps);
}

#endif

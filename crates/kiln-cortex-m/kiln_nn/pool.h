/* The windows of a pooling, which lie over all channels of the input. */
#ifndef KILN_NN_POOL_H
#define KILN_NN_POOL_H

#include "window.h"

/* The elements of a window that lie in the input: `rows` by `columns`, from element `first` on, `row` and `column`
 * elements apart. */
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

/* The windows of a pooling, those of all batches in one row. */
typedef struct {
    const cmsis_nn_dims *input, *output;
    int32_t image, count;
    kiln_axis y, x;
} kiln_pooling;

static inline kiln_pooling kiln_pooling_of(const cmsis_nn_dims *input, const cmsis_nn_dims *filter, const cmsis_nn_dims *output,
    cmsis_nn_tile stride, cmsis_nn_tile padding, cmsis_nn_tile dilation)
{
    kiln_pooling pooling = {
        input, output, input->h * input->w * input->c, output->n * output->h * output->w,
        kiln_plain_axis(input->h, filter->h, stride.h, padding.h, dilation.h),
        kiln_plain_axis(input->w, filter->w, stride.w, padding.w, dilation.w),
    };
    return pooling;
}

static inline kiln_pool_window kiln_window_of(const kiln_pooling *p, int32_t place)
{
    int32_t row = place / p->output->w;
    kiln_taps taps_y = kiln_taps_at(&p->y, row % p->output->h), taps_x = kiln_taps_at(&p->x, place % p->output->w);
    kiln_pool_window window = kiln_pool_window_at(p->input, taps_y, taps_x);
    window.first += row / p->output->h * p->image;
    return window;
}

/* How many elements of the input with its padding the window at `place` has along an axis. */
static inline int32_t kiln_padded_taps(const kiln_axis *axis, int32_t place)
{
    int32_t first = place * axis->stride - axis->padding;
    return kiln_clamp(axis->size + axis->padding - first, 0, axis->taps);
}

/* How many elements of the input with its padding a window has. */
static inline int32_t kiln_padded_elements(const kiln_pooling *p, int32_t place)
{
    return kiln_padded_taps(&p->y, place / p->output->w % p->output->h) * kiln_padded_taps(&p->x, place % p->output->w);
}

#endif

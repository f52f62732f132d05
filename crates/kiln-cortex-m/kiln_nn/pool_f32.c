/* Greatest elements and means of windows. */
#include "float.h"
#include "pool.h"

void kiln_max_pool_f32(const kiln_windows *windows, const cmsis_nn_dims *input_dims, const float *input,
    const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims, float *output)
{
    const kiln_windows *p = windows;
    kiln_axis axis_y = kiln_plain_axis(input_dims->h, filter_dims->h, p->stride.h, p->padding.h, p->dilation.h);
    kiln_axis axis_x = kiln_plain_axis(input_dims->w, filter_dims->w, p->stride.w, p->padding.w, p->dilation.w);
    int32_t channels = input_dims->c, image = input_dims->h * input_dims->w * channels;
    for (int32_t place = 0; place < output_dims->n * output_dims->h * output_dims->w; place++) {
        int32_t row = place / output_dims->w;
        kiln_taps taps_y = kiln_taps_at(&axis_y, row % output_dims->h);
        kiln_pool_window window = kiln_pool_window_at(input_dims, taps_y, kiln_taps_at(&axis_x, place % output_dims->w));
        for (int32_t c = 0; c < channels; c++) {
            const float *from = input + row / output_dims->h * image + window.first + c;
            float greatest = -kiln_infinity();
            for (int32_t y = 0; y < window.rows; y++) {
                for (int32_t x = 0; x < window.columns; x++) {
                    greatest = kiln_greater(greatest, from[y * window.row + x * window.column]);
                }
            }
            *output++ = greatest;
        }
    }
}

void kiln_avg_pool_f32(const kiln_windows *windows, int32_t divisor, bool padding_counts, const cmsis_nn_dims *input_dims,
    const float *input, const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims, float *output)
{
    const kiln_windows *p = windows;
    kiln_axis axis_y = kiln_plain_axis(input_dims->h, filter_dims->h, p->stride.h, p->padding.h, 1);
    kiln_axis axis_x = kiln_plain_axis(input_dims->w, filter_dims->w, p->stride.w, p->padding.w, 1);
    int32_t channels = input_dims->c, image = input_dims->h * input_dims->w * channels;
    for (int32_t place = 0; place < output_dims->n * output_dims->h * output_dims->w; place++) {
        int32_t row = place / output_dims->w, at_y = row % output_dims->h, at_x = place % output_dims->w;
        kiln_pool_window window = kiln_pool_window_at(input_dims, kiln_taps_at(&axis_y, at_y), kiln_taps_at(&axis_x, at_x));
        int32_t elements = window.rows * window.columns, padded = kiln_padded_taps(&axis_y, at_y) * kiln_padded_taps(&axis_x, at_x);
        float by = (float)(divisor > 0 ? divisor : padding_counts ? padded : elements);
        for (int32_t c = 0; c < channels; c++) {
            const float *from = input + row / output_dims->h * image + window.first + c;
            float sum = 0.0f;
            for (int32_t y = 0; y < window.rows; y++) {
                for (int32_t x = 0; x < window.columns; x++) {
                    sum += from[y * window.row + x * window.column];
                }
            }
            *output++ = sum / by;
        }
    }
}

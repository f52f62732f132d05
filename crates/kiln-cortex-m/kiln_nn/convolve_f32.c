/* Convolutions. Each result is a sum in order of the kernel's rows, columns and channels, from the bias on. */
#include "float.h"
#include "window.h"

static kiln_axis axis_of(int32_t size, int32_t taps, int32_t stride, int32_t padding, int32_t dilation, int32_t upscale,
    bool flipped)
{
    kiln_axis axis = kiln_plain_axis(size, taps, stride, padding, dilation);
    axis.upscale = upscale;
    axis.flipped = flipped;
    return axis;
}

static kiln_axis rows_axis(const kiln_float_convolution *c, const cmsis_nn_dims *input, const cmsis_nn_dims *filter)
{
    return axis_of(input->h, filter->h, c->stride.h, c->padding.h, c->dilation.h, c->upscale.h, c->flipped);
}

static kiln_axis columns_axis(const kiln_float_convolution *c, const cmsis_nn_dims *input, const cmsis_nn_dims *filter)
{
    return axis_of(input->w, filter->w, c->stride.w, c->padding.w, c->dilation.w, c->upscale.w, c->flipped);
}

/* The sum of one output channel, whose input channels `input` begins at and whose kernel is `filter`. */
static float convolved(float sum, const kiln_taps *y, const kiln_taps *x, const cmsis_nn_dims *input_dims, const float *input,
    const cmsis_nn_dims *filter_dims, const float *filter)
{
    for (int32_t i = 0; i < y->count; i++) {
        for (int32_t j = 0; j < x->count; j++) {
            int32_t row = y->input + i * y->input_step, column = x->input + j * x->input_step;
            const float *from = input + (row * input_dims->w + column) * input_dims->c;
            row = y->tap + i * y->tap_step;
            column = x->tap + j * x->tap_step;
            const float *weights = filter + (row * filter_dims->w + column) * filter_dims->c;
            for (int32_t k = 0; k < filter_dims->c; k++) {
                sum += from[k] * weights[k];
            }
        }
    }
    return sum;
}

void kiln_convolve_f32(const kiln_float_convolution *convolution, const cmsis_nn_dims *input_dims, const float *input,
    const cmsis_nn_dims *filter_dims, const float *filter, const float *bias, const cmsis_nn_dims *output_dims, float *output)
{
    kiln_axis axis_y = rows_axis(convolution, input_dims, filter_dims);
    kiln_axis axis_x = columns_axis(convolution, input_dims, filter_dims);
    int32_t kernel = filter_dims->h * filter_dims->w * filter_dims->c, image = input_dims->h * input_dims->w * input_dims->c;
    int32_t group = filter_dims->c > 0 ? output_dims->c / (input_dims->c / filter_dims->c) : 1;
    for (int32_t place = 0; place < output_dims->n * output_dims->h * output_dims->w; place++) {
        int32_t row = place / output_dims->w;
        kiln_taps y = kiln_taps_at(&axis_y, row % output_dims->h), x = kiln_taps_at(&axis_x, place % output_dims->w);
        const float *from = input + row / output_dims->h * image;
        for (int32_t c = 0; c < output_dims->c; c++) {
            float sum = bias != NULL ? bias[c] : 0.0f;
            sum = convolved(sum, &y, &x, input_dims, from + c / group * filter_dims->c, filter_dims, filter + c * kernel);
            *output++ = kiln_limited(sum, convolution->range.min, convolution->range.max);
        }
    }
}

void kiln_depthwise_conv_f32(const kiln_float_convolution *convolution, const cmsis_nn_dims *input_dims, const float *input,
    const cmsis_nn_dims *filter_dims, const float *filter, const float *bias, const cmsis_nn_dims *output_dims, float *output)
{
    kiln_axis axis_y = rows_axis(convolution, input_dims, filter_dims);
    kiln_axis axis_x = columns_axis(convolution, input_dims, filter_dims);
    int32_t channels = output_dims->c, image = input_dims->h * input_dims->w * input_dims->c;
    int32_t multiplier = input_dims->c > 0 ? channels / input_dims->c : 1;
    for (int32_t place = 0; place < output_dims->n * output_dims->h * output_dims->w; place++, output += channels) {
        int32_t row = place / output_dims->w;
        kiln_taps y = kiln_taps_at(&axis_y, row % output_dims->h), x = kiln_taps_at(&axis_x, place % output_dims->w);
        for (int32_t c = 0; c < channels; c++) {
            output[c] = bias != NULL ? bias[c] : 0.0f;
        }
        for (int32_t i = 0; i < y.count * x.count; i++) {
            int32_t a = i / x.count, b = i % x.count;
            int32_t from = (y.input + a * y.input_step) * input_dims->w + x.input + b * x.input_step;
            int32_t tap = (y.tap + a * y.tap_step) * filter_dims->w + x.tap + b * x.tap_step;
            const float *values = input + row / output_dims->h * image + from * input_dims->c;
            for (int32_t c = 0; c < channels; c++) {
                output[c] += values[multiplier == 1 ? c : c / multiplier] * filter[tap * channels + c];
            }
        }
        for (int32_t c = 0; c < channels; c++) {
            output[c] = kiln_limited(output[c], convolution->range.min, convolution->range.max);
        }
    }
}

/* The taps of a kernel that meet the input, along one axis; and the functions of convolutions that call another one. */
#ifndef KILN_NN_WINDOW_H
#define KILN_NN_WINDOW_H

#include "internal.h"

/* An axis of a convolution or a pooling. `upscale` - 1 gaps, which no tap reads, lie after each element of the input.
 * `flipped` turns the kernel round. */
typedef struct {
    int32_t size;
    int32_t taps;
    int32_t stride;
    int32_t padding;
    int32_t dilation;
    int32_t upscale;
    bool flipped;
} kiln_axis;

/* `count` taps. The first is `tap` of the kernel, and meets the element `input`; each further tap is `tap_step` and
 * `input_step` on. */
typedef struct {
    int32_t count;
    int32_t tap;
    int32_t tap_step;
    int32_t input;
    int32_t input_step;
} kiln_taps;

static inline kiln_axis kiln_plain_axis(int32_t size, int32_t taps, int32_t stride, int32_t padding, int32_t dilation)
{
    kiln_axis axis = {size, taps, stride, padding, dilation, 1, false};
    return axis;
}

/* The taps for element `place` of the output. */
static inline kiln_taps kiln_taps_at(const kiln_axis *axis, int32_t place)
{
    int32_t base = place * axis->stride - axis->padding;
    int32_t tap = kiln_max(0, -base), size = axis->size, end = size * kiln_max(axis->upscale, 1) - base;
    int32_t input_step = kiln_max(axis->dilation, 1), tap_step = 1, input = base + tap;
    if (input_step > 1) {
        tap = (tap + input_step - 1) / input_step;
        input = base + tap * input_step;
        end = end > 0 ? (end + input_step - 1) / input_step : 0;
    }
    end = kiln_min(end, axis->taps);
    if (axis->upscale > 1) {
        int32_t upscale = axis->upscale, gap = input_step;
        /* Some taps meet what lies between two elements; these repeat after at most `upscale` taps. */
        while (tap < end && input % upscale != 0) {
            tap++;
            input += gap;
        }
        while (input_step % upscale != 0) {
            tap_step++;
            input_step += gap;
        }
        input /= upscale;
        input_step /= upscale;
    }
    int32_t count = end > tap ? (end - tap + tap_step - 1) / tap_step : 0;
    if (axis->flipped) {
        tap = axis->taps - 1 - tap;
        tap_step = -tap_step;
    }
    kiln_taps taps = {count, tap, tap_step, input, input_step};
    return taps;
}

/* A function of the interface of convolutions that computes as another one does, and refuses some arguments. */
#define KILN_CONVOLUTION_AS(name, params_type, data_type, bias_type, refuses, called)                                      \
    arm_cmsis_nn_status name(const cmsis_nn_context *ctx, const params_type *params,                                       \
        const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims, const data_type *input,    \
        const cmsis_nn_dims *filter_dims, const int8_t *filter, const cmsis_nn_dims *bias_dims, const bias_type *bias,     \
        const cmsis_nn_dims *output_dims, data_type *output)                                                               \
    {                                                                                                                      \
        if (refuses) {                                                                                                     \
            return ARM_CMSIS_NN_ARG_ERROR;                                                                                 \
        }                                                                                                                  \
        return called(ctx, params, quant_params, input_dims, input, filter_dims, filter, bias_dims, bias, output_dims,     \
            output);                                                                                                       \
    }

#endif

/* net for cortex-m4: 7 calls, 864 multiplications. Made by Kiln.
 *
 * The arena has 256 bytes, of which 112 are scratch memory at most.
 *
 *   offset    bytes     calls  buffer
 *      112       48       0-0  x (input)
 *      160       32       0-1  conv
 *      160       32       1-6  output_0 (output)
 *      192       32       0-6  last (state)
 *      224       32       0-6  step (state)
 */
#include "net.h"

#include "net_weights.h"
#include "kiln_nn/kiln_nn.h"

#include <string.h>

#if defined(KILN_NN_USE_CMSIS) && (!defined(ARM_MATH_DSP) || defined(ARM_MATH_MVEI))
#error "this model is compiled for a core with DSP extension and without Helium: compile it for this core, or without CMSIS-NN"
#endif

int net_init(net_model *model, void *arena, size_t bytes)
{
    if (model == NULL) {
        return NET_ERROR_NULL;
    }
    model->arena = NULL;
    if (arena == NULL) {
        return NET_ERROR_NULL;
    }
    if ((uintptr_t)arena % 16u != 0) {
        return NET_ERROR_ALIGNMENT;
    }
    if (bytes < NET_ARENA_BYTES) {
        return NET_ERROR_SIZE;
    }
    model->arena = arena;
    memset(model->arena + 192, 0, 32);
    memcpy(model->arena + 224, net_step_initial, 32);
    return 0;
}

void *net_input(net_model *model, size_t index)
{
    static const uint32_t offsets[NET_INPUT_COUNT] = {112};
    if (model == NULL || model->arena == NULL || index >= NET_INPUT_COUNT) {
        return NULL;
    }
    return model->arena + offsets[index];
}

void *net_output(net_model *model, size_t index)
{
    static const uint32_t offsets[NET_OUTPUT_COUNT] = {160};
    if (model == NULL || model->arena == NULL || index >= NET_OUTPUT_COUNT) {
        return NULL;
    }
    return model->arena + offsets[index];
}

int net_invoke(net_model *model)
{
    if (model == NULL || model->arena == NULL) {
        return NET_ERROR_NULL;
    }
    uint8_t *const arena = model->arena;
    int8_t *const x = (int8_t *)(arena + 112);
    int8_t *const conv = (int8_t *)(arena + 160);
    int8_t *const last = (int8_t *)(arena + 192);
    int8_t *const step = (int8_t *)(arena + 224);
    int8_t *const output_0 = (int8_t *)(arena + 160);

    /* 0: conv (net.py:12, in forward: y = self.conv(x)) */
    {
        const cmsis_nn_context ctx = {.buf = arena, .size = 112};
        static const cmsis_nn_conv_params conv_params = {
            .input_offset = 128,
            .output_offset = -3,
            .stride = {.w = 1, .h = 1},
            .padding = {.w = 1, .h = 1},
            .dilation = {.w = 1, .h = 1},
            .activation = {.min = -128, .max = 127},
        };
        static const cmsis_nn_per_channel_quant_params quant_params = {
            .multiplier = (int32_t *)net_conv_multiplier,
            .shift = (int32_t *)net_conv_shift,
        };
        static const cmsis_nn_dims input_dims = {.n = 1, .h = 4, .w = 4, .c = 3};
        static const cmsis_nn_dims filter_dims = {.n = 2, .h = 3, .w = 3, .c = 3};
        static const cmsis_nn_dims bias_dims = {.n = 1, .h = 1, .w = 1, .c = 2};
        static const cmsis_nn_dims output_dims = {.n = 1, .h = 4, .w = 4, .c = 2};
        if (arm_convolve_s8(&ctx, &conv_params, &quant_params, &input_dims, x, &filter_dims, net_conv_weight,
            &bias_dims, net_conv_bias, NULL, &output_dims, conv) != ARM_CMSIS_NN_SUCCESS) {
            return NET_ERROR_KERNEL;
        }
    }

    /* 1: add (net.py:13, in forward: y + self.last / * kept * /) */
    if (arm_elementwise_add_s8(conv, last, /* input_1_offset */ 3, /* input_1_mult */ 1073741824, /* input_1_shift */ 0,
        /* input_2_offset */ 0, /* input_2_mult */ 1073741824, /* input_2_shift */ 0, /* left_shift */ 20, output_0,
        /* out_offset */ 0, /* out_mult */ 1073741824, /* out_shift */ -18, /* out_activation_min */ -128,
        /* out_activation_max */ 127, /* block_size */ 32) != ARM_CMSIS_NN_SUCCESS) {
        return NET_ERROR_KERNEL;
    }

    /* 2: counter (net.py:13, in forward: y + self.last / * kept * /) */
    if (arm_elementwise_add_s8(last, step, /* input_1_offset */ 3, /* input_1_mult */ 1073741824, /* input_1_shift */ 0,
        /* input_2_offset */ 0, /* input_2_mult */ 1073741824, /* input_2_shift */ 0, /* left_shift */ 20, last,
        /* out_offset */ 0, /* out_mult */ 1073741824, /* out_shift */ -18, /* out_activation_min */ -128,
        /* out_activation_max */ 127, /* block_size */ 32) != ARM_CMSIS_NN_SUCCESS) {
        return NET_ERROR_KERNEL;
    }

    /* 3 to 6: each round computes the next rows. */
    for (int32_t i = 0; i < 4; i++) {
        /* relu */
        arm_relu_q7(output_0 + 8 * i, /* size */ 8);
    }
    return 0;
}

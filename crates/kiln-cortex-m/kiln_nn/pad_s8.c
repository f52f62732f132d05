/* Padding of up to four dimensions with one value. */
#include "internal.h"

static int8_t *fill(int8_t *output, int8_t value, int32_t count)
{
    memset(output, value, (size_t)count);
    return output + count;
}

arm_cmsis_nn_status arm_pad_s8(const int8_t *input, int8_t *output, int8_t pad_value, const cmsis_nn_dims *input_size,
    const cmsis_nn_dims *pre_pad, const cmsis_nn_dims *post_pad)
{
    int32_t channels = pre_pad->c + input_size->c + post_pad->c;
    int32_t row = (pre_pad->w + input_size->w + post_pad->w) * channels;
    int32_t image = (pre_pad->h + input_size->h + post_pad->h) * row;
    output = fill(output, pad_value, pre_pad->n * image);
    for (int32_t n = 0; n < input_size->n; n++) {
        output = fill(output, pad_value, pre_pad->h * row);
        for (int32_t h = 0; h < input_size->h; h++) {
            output = fill(output, pad_value, pre_pad->w * channels);
            for (int32_t w = 0; w < input_size->w; w++) {
                output = fill(output, pad_value, pre_pad->c);
                memcpy(output, input, (size_t)input_size->c);
                output = fill(output + input_size->c, pad_value, post_pad->c);
                input += input_size->c;
            }
            output = fill(output, pad_value, post_pad->w * channels);
        }
        output = fill(output, pad_value, post_pad->h * row);
    }
    fill(output, pad_value, post_pad->n * image);
    return ARM_CMSIS_NN_SUCCESS;
}

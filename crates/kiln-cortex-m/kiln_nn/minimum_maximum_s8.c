/* The smaller and the greater of two integers; sizes 1 of an operand are repeated. */
#include "internal.h"

/* How far an operand moves for one step of each dimension of the output: 0 where its size is 1. */
static cmsis_nn_dims steps_of(const cmsis_nn_dims *dims)
{
    cmsis_nn_dims steps = {dims->h * dims->w * dims->c, dims->w * dims->c, dims->c, 1};
    steps.n = dims->n == 1 ? 0 : steps.n;
    steps.h = dims->h == 1 ? 0 : steps.h;
    steps.w = dims->w == 1 ? 0 : steps.w;
    steps.c = dims->c == 1 ? 0 : steps.c;
    return steps;
}

/* Rows along c; `sign` 1 takes the greater and -1 the smaller. */
static void select_each(const int8_t *x, const cmsis_nn_dims *x_dims, const int8_t *y, const cmsis_nn_dims *y_dims, int8_t *output,
    const cmsis_nn_dims *dims, int32_t sign)
{
    cmsis_nn_dims step_x = steps_of(x_dims), step_y = steps_of(y_dims);
    for (int32_t n = 0; n < dims->n; n++) {
        for (int32_t h = 0; h < dims->h; h++) {
            for (int32_t w = 0; w < dims->w; w++) {
                const int8_t *row_x = x + n * step_x.n + h * step_x.h + w * step_x.w;
                const int8_t *row_y = y + n * step_y.n + h * step_y.h + w * step_y.w;
                for (int32_t c = 0; c < dims->c; c++) {
                    int8_t a = row_x[c * step_x.c], b = row_y[c * step_y.c];
                    *output++ = sign * a > sign * b ? a : b;
                }
            }
        }
    }
}

arm_cmsis_nn_status arm_minimum_s8(const cmsis_nn_context *ctx, const int8_t *input_1_data, const cmsis_nn_dims *input_1_dims,
    const int8_t *input_2_data, const cmsis_nn_dims *input_2_dims, int8_t *output_data, const cmsis_nn_dims *output_dims)
{
    (void)ctx;
    select_each(input_1_data, input_1_dims, input_2_data, input_2_dims, output_data, output_dims, -1);
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_maximum_s8(const cmsis_nn_context *ctx, const int8_t *input_1_data, const cmsis_nn_dims *input_1_dims,
    const int8_t *input_2_data, const cmsis_nn_dims *input_2_dims, int8_t *output_data, const cmsis_nn_dims *output_dims)
{
    (void)ctx;
    select_each(input_1_data, input_1_dims, input_2_data, input_2_dims, output_data, output_dims, 1);
    return ARM_CMSIS_NN_SUCCESS;
}

/* Kernels for which CMSIS-NN has no function, in the style of kiln_nn.h. They are linked beside CMSIS-NN too.
 *
 * Shapes have 1 to KILN_MAX_RANK dimensions, and strides count elements. A kernel that only moves elements takes any
 * type of its element size (1, 2, 4 or 8 bytes) and needs no alignment; any other kernel needs the alignment of its
 * types. An output is dense unless it has strides. An output lies apart from the inputs; that of an element-wise kernel
 * may lie on an input of its type and shape. [outer][n][inner] is a tensor whose middle axis is worked on. */
#ifndef KILN_OPS_H
#define KILN_OPS_H

#include "kiln_nn.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KILN_MAX_RANK 6

/* The elements that a kernel visits, and where they lie in two tensors. A stride of 0 repeats an element. */
typedef struct {
    int32_t rank;
    int32_t sizes[KILN_MAX_RANK];
    int32_t strides_1[KILN_MAX_RANK];
    int32_t strides_2[KILN_MAX_RANK];
} kiln_strides;

/* requantise(x + input_offset) + output_offset, clamped. Offsets, multiplier and shift are those of kiln_nn.h. */
typedef struct {
    int32_t input_offset;
    int32_t multiplier;
    int32_t shift;
    int32_t output_offset;
    cmsis_nn_activation activation;
} kiln_scaling;

/* Two operands and their result, as arm_elementwise_add_s8 takes them. */
typedef struct {
    int32_t offset_1;
    int32_t multiplier_1;
    int32_t shift_1;
    int32_t offset_2;
    int32_t multiplier_2;
    int32_t shift_2;
    int32_t left_shift;
    int32_t output_offset;
    int32_t multiplier;
    int32_t shift;
    cmsis_nn_activation activation;
} kiln_operands;

/* Requantises `size` integers. They are rounded once, halves up. An int32_t plus the input offset wraps. */
void kiln_requantize_s8_s8(const kiln_scaling *scaling, const int8_t *input, int8_t *output, int32_t size);
void kiln_requantize_s8_s16(const kiln_scaling *scaling, const int8_t *input, int16_t *output, int32_t size);
void kiln_requantize_s16_s8(const kiln_scaling *scaling, const int16_t *input, int8_t *output, int32_t size);
void kiln_requantize_s16_s16(const kiln_scaling *scaling, const int16_t *input, int16_t *output, int32_t size);
void kiln_requantize_s32_s8(const kiln_scaling *scaling, const int32_t *input, int8_t *output, int32_t size);
void kiln_requantize_s32_s16(const kiln_scaling *scaling, const int32_t *input, int16_t *output, int32_t size);

/* The result for x is entry x + 128 of 256, or entry x + 32768 of 65,536. */
void kiln_table_s8(const int8_t *table, const int8_t *input, int8_t *output, int32_t size);
void kiln_table_s8_s16(const int16_t *table, const int8_t *input, int16_t *output, int32_t size);
void kiln_table_s16(const int16_t *table, const int16_t *input, int16_t *output, int32_t size);
/* The table has 513 entries, for -32768, -32640, ... 32768. Between two entries the result is interpolated, halves up. */
void kiln_table_interpolated_s16(const int16_t *table, const int16_t *input, int16_t *output, int32_t size);

/* Sum and difference. Each operand plus its offset is shifted left and requantised; the sum of both is requantised
 * again. */
void kiln_add_s8(const kiln_operands *operands, const kiln_strides *strides, const int8_t *input_1, const int8_t *input_2,
    int8_t *output);
void kiln_add_s16(const kiln_operands *operands, const kiln_strides *strides, const int16_t *input_1, const int16_t *input_2,
    int16_t *output);
void kiln_sub_s8(const kiln_operands *operands, const kiln_strides *strides, const int8_t *input_1, const int8_t *input_2,
    int8_t *output);
void kiln_sub_s16(const kiln_operands *operands, const kiln_strides *strides, const int16_t *input_1, const int16_t *input_2,
    int16_t *output);
/* Product, requantised and rounded once, halves up. Products and quotients do not read the operands' own multipliers and
 * shifts. A product of int16_t with their offsets must fit int32_t. */
void kiln_mul_s8(const kiln_operands *operands, const kiln_strides *strides, const int8_t *input_1, const int8_t *input_2,
    int8_t *output);
void kiln_mul_s16(const kiln_operands *operands, const kiln_strides *strides, const int16_t *input_1, const int16_t *input_2,
    int16_t *output);
/* The exact quotient times multiplier * 2^(shift - 31), rounded once, halves to even. The multiplier is not negative. A
 * division by 0 gives the greatest result for a dividend above 0, the least result for one below 0, and 0, clamped, for
 * 0: what kiln_quantize makes of a NaN. */
void kiln_div_s8(const kiln_operands *operands, const kiln_strides *strides, const int8_t *input_1, const int8_t *input_2,
    int8_t *output);
void kiln_div_s16(const kiln_operands *operands, const kiln_strides *strides, const int16_t *input_1, const int16_t *input_2,
    int16_t *output);
/* The lesser and the greater of two integers of one quantisation. */
void kiln_minimum_s8(const kiln_strides *strides, const int8_t *input_1, const int8_t *input_2, int8_t *output);
void kiln_minimum_s16(const kiln_strides *strides, const int16_t *input_1, const int16_t *input_2, int16_t *output);
void kiln_maximum_s8(const kiln_strides *strides, const int8_t *input_1, const int8_t *input_2, int8_t *output);
void kiln_maximum_s16(const kiln_strides *strides, const int16_t *input_1, const int16_t *input_2, int16_t *output);

/* Sum of x + input_offset along the middle axis, requantised and rounded once, halves up. The multiplier of a mean
 * contains 1 / n. Sums wrap past int32_t. */
void kiln_sum_s8(const kiln_scaling *scaling, const int8_t *input, int32_t outer, int32_t n, int32_t inner, int8_t *output);
void kiln_sum_s16(const kiln_scaling *scaling, const int16_t *input, int32_t outer, int32_t n, int32_t inner, int16_t *output);
/* The quantisation of a mean and of what it is of, and its range. `scale` is the real of a step, `inverse` the steps of 1. */
typedef struct {
    int32_t zero_point;
    float scale;
    float inverse;
    cmsis_nn_activation activation;
} kiln_mean;

/* Mean along the middle axis. Halves go where they go in floats, which are added up in 4 vectors of 8, as PyTorch adds up a row of up
 * to 511. `n` is from 1 to 2^22. */
void kiln_mean_s8(const kiln_mean *mean, const int8_t *input, int32_t outer, int32_t n, int32_t inner, int8_t *output);
/* The index of the first greatest integer along the middle axis. */
void kiln_argmax_s8(const int8_t *input, int32_t outer, int32_t n, int32_t inner, int32_t *output);
void kiln_argmax_s16(const int16_t *input, int32_t outer, int32_t n, int32_t inner, int32_t *output);
/* arm_softmax_s8, along the middle axis. */
void kiln_softmax_s8(const int8_t *input, int32_t outer, int32_t n, int32_t inner, int32_t multiplier, int32_t shift,
    int32_t diff_min, int8_t *output);
/* As kiln_softmax_s8, with sums of 31 fractional bits and results of 15, rounded once. Results are within a step of the
 * exact ones, which those of arm_softmax_s16 are not. The axis has at most 65,535 elements. */
void kiln_softmax_s16(const int16_t *input, int32_t outer, int32_t n, int32_t inner, int32_t multiplier, int32_t shift,
    int32_t diff_min, int16_t *output);

/* The divisor of an average: `divisor`, or, if that is 0, the number of the window's elements. With `padding_counts`
 * that number includes the padding, which is as wide behind the input as in front of it. Padding adds nothing to the
 * sum. `scale` is the real of a step, `inverse` the steps of 1. */
typedef struct {
    int32_t zero_point;
    int32_t divisor;
    bool padding_counts;
    float scale;
    float inverse;
} kiln_average;

/* Average of each window. Input and output have one quantisation. Halves go where they go in floats: the reals are
 * added up in order, divided, and rounded to even in steps. The dims of the output say how many windows there are, so a
 * window of a ceiling mode may reach past the padding. A window with nothing to count is refused. */
arm_cmsis_nn_status kiln_avg_pool_s8(const cmsis_nn_pool_params *params, const kiln_average *average,
    const cmsis_nn_dims *input_dims, const int8_t *input, const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
    int8_t *output);
arm_cmsis_nn_status kiln_avg_pool_s16(const cmsis_nn_pool_params *params, const kiln_average *average,
    const cmsis_nn_dims *input_dims, const int16_t *input, const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
    int16_t *output);
/* arm_max_pool_s8, with the elements of a window `dilation` apart. */
arm_cmsis_nn_status kiln_max_pool_s8(const cmsis_nn_pool_params *params, cmsis_nn_tile dilation, const cmsis_nn_dims *input_dims,
    const int8_t *input, const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims, int8_t *output);
arm_cmsis_nn_status kiln_max_pool_s16(const cmsis_nn_pool_params *params, cmsis_nn_tile dilation, const cmsis_nn_dims *input_dims,
    const int16_t *input, const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims, int16_t *output);

/* arm_elementwise_add_s8, with the same arguments and the same bits. It takes a left shift of 20, a first factor of 1/2,
 * input_2_shift from -31 to -1, and out_shift from -22 to -1. */
void kiln_add_same_s8(const int8_t *input_1_vect, const int8_t *input_2_vect, int32_t input_1_offset, int32_t input_1_mult,
    int32_t input_1_shift, int32_t input_2_offset, int32_t input_2_mult, int32_t input_2_shift, int32_t left_shift,
    int8_t *output, int32_t out_offset, int32_t out_mult, int32_t out_shift, int32_t out_activation_min,
    int32_t out_activation_max, int32_t block_size);

/* An image of another size. Each result is a weighted sum of neighbours along height and width, requantised and rounded
 * once, halves up. A table has a row for each place along its axis: the index of the first of `taps` neighbours, and
 * their weights. Weights count a fraction that the multiplier contains. Sums wrap past int32_t. Neighbours beyond the
 * input are refused. */
arm_cmsis_nn_status kiln_resize_s8(const kiln_scaling *scaling, const cmsis_nn_dims *input_dims, const int8_t *input,
    const int32_t *rows, int32_t row_taps, const int32_t *columns, int32_t column_taps, const cmsis_nn_dims *output_dims,
    int8_t *output);
arm_cmsis_nn_status kiln_resize_s16(const kiln_scaling *scaling, const cmsis_nn_dims *input_dims, const int16_t *input,
    const int32_t *rows, int32_t row_taps, const int32_t *columns, int32_t column_taps, const cmsis_nn_dims *output_dims,
    int16_t *output);

/* Copies elements that lie by strides_1 in the input to places by strides_2 in the output: a transpose, a slice (the
 * input points to its first element, and a step multiplies its stride), a flip (a negative stride), an expansion (a
 * stride of 0), or a part of a concatenation. */
arm_cmsis_nn_status kiln_copy(const kiln_strides *strides, int32_t element_size, const void *input, void *output);

/* What lies beyond the input: a value; the elements turned back at the edge; the last element again; the elements of the
 * other edge. */
typedef enum { KILN_PAD_CONSTANT, KILN_PAD_REFLECT, KILN_PAD_REPLICATE, KILN_PAD_CIRCULAR } kiln_pad_mode;

/* The sizes of the input, and how many elements of the output lie before and after it. A negative number cuts the input. */
typedef struct {
    int32_t rank;
    int32_t sizes[KILN_MAX_RANK];
    int32_t before[KILN_MAX_RANK];
    int32_t after[KILN_MAX_RANK];
} kiln_padding;

/* `value` points to an element; it may be null unless the mode is constant. A reflection of a size or more, circular
 * padding of more than a size, and an input without elements where one is needed are refused. */
arm_cmsis_nn_status kiln_pad(const kiln_padding *padding, kiln_pad_mode mode, const void *value, int32_t element_size,
    const void *input, void *output);

/* Output [outer][count][inner bytes] from input [outer][n][inner bytes], by indices of n. A negative index counts from
 * the end of n. An index out of range is refused. */
arm_cmsis_nn_status kiln_gather(const void *input, int32_t outer, int32_t n, int32_t inner_bytes, const int32_t *indices,
    int32_t count, void *output);
/* One element for each index. strides_2 are those of the indices. strides_1 are those of the input, with 0 along the
 * indexed axis, which has `axis_size` elements `axis_stride` apart. */
arm_cmsis_nn_status kiln_gather_elements(const kiln_strides *strides, int32_t axis_size, int32_t axis_stride, int32_t element_size,
    const void *input, const int32_t *indices, void *output);

/* Floats.
 *
 * All results have the same bits on every core and on hosts, except NaN, which may be any NaN. A sum begins with the
 * bias or 0, and adds the elements in their order. */

/* Limits of the results. Infinities limit nothing. */
typedef struct {
    float min;
    float max;
} kiln_float_range;

/* A function of each of `size` elements. The file of a function states its error. */
void kiln_neg_f32(const float *input, float *output, int32_t size);
void kiln_abs_f32(const float *input, float *output, int32_t size);
void kiln_sign_f32(const float *input, float *output, int32_t size);
void kiln_square_f32(const float *input, float *output, int32_t size);
void kiln_reciprocal_f32(const float *input, float *output, int32_t size);
void kiln_floor_f32(const float *input, float *output, int32_t size);
void kiln_ceil_f32(const float *input, float *output, int32_t size);
void kiln_round_f32(const float *input, float *output, int32_t size);
void kiln_trunc_f32(const float *input, float *output, int32_t size);
void kiln_hardsigmoid_f32(const float *input, float *output, int32_t size);
void kiln_hardswish_f32(const float *input, float *output, int32_t size);
void kiln_exp_f32(const float *input, float *output, int32_t size);
void kiln_exp2_f32(const float *input, float *output, int32_t size);
void kiln_expm1_f32(const float *input, float *output, int32_t size);
void kiln_log_f32(const float *input, float *output, int32_t size);
void kiln_log2_f32(const float *input, float *output, int32_t size);
void kiln_log10_f32(const float *input, float *output, int32_t size);
void kiln_log1p_f32(const float *input, float *output, int32_t size);
void kiln_log_sigmoid_f32(const float *input, float *output, int32_t size);
void kiln_sqrt_f32(const float *input, float *output, int32_t size);
void kiln_rsqrt_f32(const float *input, float *output, int32_t size);
void kiln_sin_f32(const float *input, float *output, int32_t size);
void kiln_cos_f32(const float *input, float *output, int32_t size);
void kiln_tan_f32(const float *input, float *output, int32_t size);
void kiln_asin_f32(const float *input, float *output, int32_t size);
void kiln_acos_f32(const float *input, float *output, int32_t size);
void kiln_atan_f32(const float *input, float *output, int32_t size);
void kiln_sinh_f32(const float *input, float *output, int32_t size);
void kiln_cosh_f32(const float *input, float *output, int32_t size);
void kiln_asinh_f32(const float *input, float *output, int32_t size);
void kiln_acosh_f32(const float *input, float *output, int32_t size);
void kiln_atanh_f32(const float *input, float *output, int32_t size);
void kiln_tanh_f32(const float *input, float *output, int32_t size);
void kiln_gelu_tanh_f32(const float *input, float *output, int32_t size);
void kiln_sigmoid_f32(const float *input, float *output, int32_t size);
void kiln_silu_f32(const float *input, float *output, int32_t size);
void kiln_mish_f32(const float *input, float *output, int32_t size);
void kiln_erf_f32(const float *input, float *output, int32_t size);
void kiln_gelu_f32(const float *input, float *output, int32_t size);
void kiln_erfinv_f32(const float *input, float *output, int32_t size);
/* The sign of NaN is 0, as in PyTorch. x stays x for x >= 0 (leaky_relu), becomes scale * x for x > 0 (elu), and stays x
 * where beta * x is above the threshold (softplus). */
void kiln_clamp_f32(const float *input, float min, float max, float *output, int32_t size);
void kiln_leaky_relu_f32(const float *input, float slope, float *output, int32_t size);
void kiln_elu_f32(const float *input, float alpha, float scale, float input_scale, float *output, int32_t size);
void kiln_softplus_f32(const float *input, float beta, float threshold, float *output, int32_t size);
/* 1 where it holds, else 0. */
void kiln_is_nan_f32(const float *input, uint8_t *output, int32_t size);
void kiln_is_inf_f32(const float *input, uint8_t *output, int32_t size);

/* A function of two elements. maximum and minimum are NaN if an operand is; prelu is x > 0 ? x : x * y; fmod has the
 * sign of x and remainder that of y; atan2 is the angle of the point (y, x). */
void kiln_add_f32(const kiln_strides *strides, const float *input_1, const float *input_2, float *output);
void kiln_sub_f32(const kiln_strides *strides, const float *input_1, const float *input_2, float *output);
void kiln_mul_f32(const kiln_strides *strides, const float *input_1, const float *input_2, float *output);
void kiln_div_f32(const kiln_strides *strides, const float *input_1, const float *input_2, float *output);
void kiln_maximum_f32(const kiln_strides *strides, const float *input_1, const float *input_2, float *output);
void kiln_minimum_f32(const kiln_strides *strides, const float *input_1, const float *input_2, float *output);
void kiln_prelu_f32(const kiln_strides *strides, const float *input_1, const float *input_2, float *output);
void kiln_fmod_f32(const kiln_strides *strides, const float *input_1, const float *input_2, float *output);
void kiln_remainder_f32(const kiln_strides *strides, const float *input_1, const float *input_2, float *output);
void kiln_floor_div_f32(const kiln_strides *strides, const float *input_1, const float *input_2, float *output);
void kiln_trunc_div_f32(const kiln_strides *strides, const float *input_1, const float *input_2, float *output);
void kiln_atan2_f32(const kiln_strides *strides, const float *input_1, const float *input_2, float *output);
void kiln_pow_f32(const kiln_strides *strides, const float *input_1, const float *input_2, float *output);

typedef enum { KILN_EQUAL, KILN_NOT_EQUAL, KILN_LESS, KILN_LESS_EQUAL } kiln_comparison;

/* 1 where two elements compare so, else 0. */
void kiln_compare_f32(const kiln_strides *strides, kiln_comparison comparison, const float *input_1, const float *input_2,
    uint8_t *output);
void kiln_compare_s8(const kiln_strides *strides, kiln_comparison comparison, const int8_t *input_1, const int8_t *input_2,
    uint8_t *output);
void kiln_compare_u8(const kiln_strides *strides, kiln_comparison comparison, const uint8_t *input_1, const uint8_t *input_2,
    uint8_t *output);
void kiln_compare_s16(const kiln_strides *strides, kiln_comparison comparison, const int16_t *input_1, const int16_t *input_2,
    uint8_t *output);
void kiln_compare_s32(const kiln_strides *strides, kiln_comparison comparison, const int32_t *input_1, const int32_t *input_2,
    uint8_t *output);
void kiln_compare_s64(const kiln_strides *strides, kiln_comparison comparison, const int64_t *input_1, const int64_t *input_2,
    uint8_t *output);
/* The element of input_1 where the condition is not 0, else that of input_2. condition_strides has the same sizes, and
 * its strides_1 are those of the condition. */
arm_cmsis_nn_status kiln_select(const kiln_strides *strides, const kiln_strides *condition_strides, int32_t element_size,
    const uint8_t *condition, const void *input_1, const void *input_2, void *output);

typedef enum {
    KILN_INTEGER_ADD,
    KILN_INTEGER_SUB,
    KILN_INTEGER_MUL,
    KILN_INTEGER_FLOOR_DIV,
    KILN_INTEGER_TRUNC_DIV,
    KILN_INTEGER_REMAINDER,
    KILN_INTEGER_FMOD,
    KILN_INTEGER_MAX,
    KILN_INTEGER_MIN,
    KILN_INTEGER_AND,
    KILN_INTEGER_OR,
    KILN_INTEGER_XOR,
    KILN_INTEGER_SHIFT_LEFT,
    KILN_INTEGER_SHIFT_RIGHT,
    KILN_INTEGER_POW
} kiln_integer_function;

/* A function of two plain integers. Results wrap. floor_div rounds down, and remainder has the sign of y; trunc_div
 * rounds toward 0, and fmod has the sign of x. A division by 0 is refused. A shift by less than 0, or by all bits or
 * more, leaves 0 or the sign. A negative power is 1 or -1 for 1 and -1, else 0. */
arm_cmsis_nn_status kiln_integers_u8(const kiln_strides *strides, kiln_integer_function function, const uint8_t *input_1,
    const uint8_t *input_2, uint8_t *output);
arm_cmsis_nn_status kiln_integers_s8(const kiln_strides *strides, kiln_integer_function function, const int8_t *input_1,
    const int8_t *input_2, int8_t *output);
arm_cmsis_nn_status kiln_integers_s16(const kiln_strides *strides, kiln_integer_function function, const int16_t *input_1,
    const int16_t *input_2, int16_t *output);
arm_cmsis_nn_status kiln_integers_s32(const kiln_strides *strides, kiln_integer_function function, const int32_t *input_1,
    const int32_t *input_2, int32_t *output);
arm_cmsis_nn_status kiln_integers_s64(const kiln_strides *strides, kiln_integer_function function, const int64_t *input_1,
    const int64_t *input_2, int64_t *output);

/* What an element becomes where a value goes: the value, the sum, the product (integers wrap), the greater or the
 * lesser. */
typedef enum { KILN_SCATTER_SET, KILN_SCATTER_ADD, KILN_SCATTER_MUL, KILN_SCATTER_MAX, KILN_SCATTER_MIN } kiln_scatter_function;

/* Changes elements of the output in place, in the order of the indices. strides_2 are those of the indices. strides_1
 * are those of the output, with 0 along the indexed axis, which has `axis_size` elements `axis_stride` apart.
 * source_strides has the same sizes, and its strides_1 are those of the source. If an index is out of range, the call is
 * refused and nothing is changed. */
arm_cmsis_nn_status kiln_scatter_f32(const kiln_strides *strides, const kiln_strides *source_strides,
    kiln_scatter_function function, int32_t axis_size, int32_t axis_stride, const float *source, const int32_t *indices,
    float *output);
arm_cmsis_nn_status kiln_scatter_s8(const kiln_strides *strides, const kiln_strides *source_strides,
    kiln_scatter_function function, int32_t axis_size, int32_t axis_stride, const int8_t *source, const int32_t *indices,
    int8_t *output);
arm_cmsis_nn_status kiln_scatter_u8(const kiln_strides *strides, const kiln_strides *source_strides,
    kiln_scatter_function function, int32_t axis_size, int32_t axis_stride, const uint8_t *source, const int32_t *indices,
    uint8_t *output);
arm_cmsis_nn_status kiln_scatter_s16(const kiln_strides *strides, const kiln_strides *source_strides,
    kiln_scatter_function function, int32_t axis_size, int32_t axis_stride, const int16_t *source, const int32_t *indices,
    int16_t *output);
arm_cmsis_nn_status kiln_scatter_s32(const kiln_strides *strides, const kiln_strides *source_strides,
    kiln_scatter_function function, int32_t axis_size, int32_t axis_stride, const int32_t *source, const int32_t *indices,
    int32_t *output);
arm_cmsis_nn_status kiln_scatter_s64(const kiln_strides *strides, const kiln_strides *source_strides,
    kiln_scatter_function function, int32_t axis_size, int32_t axis_stride, const int64_t *source, const int32_t *indices,
    int64_t *output);

/* Types of elements. A bool is a uint8_t of 1 or 0. */
typedef enum { KILN_BOOL, KILN_U8, KILN_S8, KILN_S16, KILN_S32, KILN_S64, KILN_F32 } kiln_type;

/* Elements of one type as elements of another. An integer loses its upper bits. A float loses its fraction; one out of
 * range gives the least integer (of 64 bits for KILN_U8 and KILN_S64, else of 32), which loses its upper bits.
 * Everything but 0 is true. */
void kiln_cast(const void *input, kiln_type from, void *output, kiln_type to, int32_t size);

/* Floats of 16 bits (binary16, or the upper half of a float) to floats, and back. Halves are rounded to even. */
void kiln_f16_to_f32(const uint16_t *input, float *output, int32_t size);
void kiln_bf16_to_f32(const uint16_t *input, float *output, int32_t size);
void kiln_f32_to_f16(const float *input, uint16_t *output, int32_t size);
void kiln_f32_to_bf16(const float *input, uint16_t *output, int32_t size);

/* round(x * inverse_scale) + zero_point, halves to even, clamped. Each place along the middle axis has its own scale and
 * zero point. NaN gives 0, clamped. */
void kiln_quantize_s8(const float *input, int32_t outer, int32_t n, int32_t inner, const float *inverse_scales,
    const int32_t *zero_points, const cmsis_nn_activation *activation, int8_t *output);
void kiln_quantize_u8(const float *input, int32_t outer, int32_t n, int32_t inner, const float *inverse_scales,
    const int32_t *zero_points, const cmsis_nn_activation *activation, uint8_t *output);
void kiln_quantize_s16(const float *input, int32_t outer, int32_t n, int32_t inner, const float *inverse_scales,
    const int32_t *zero_points, const cmsis_nn_activation *activation, int16_t *output);
/* (x - zero_point) * scale. */
void kiln_dequantize_s8(const int8_t *input, int32_t outer, int32_t n, int32_t inner, const float *scales,
    const int32_t *zero_points, float *output);
void kiln_dequantize_u8(const uint8_t *input, int32_t outer, int32_t n, int32_t inner, const float *scales,
    const int32_t *zero_points, float *output);
void kiln_dequantize_s16(const int16_t *input, int32_t outer, int32_t n, int32_t inner, const float *scales,
    const int32_t *zero_points, float *output);
void kiln_dequantize_s32(const int32_t *input, int32_t outer, int32_t n, int32_t inner, const float *scales,
    const int32_t *zero_points, float *output);

/* Sizes of a product of matrices, [rows][depth] by [depth][columns], and the strides of both operands. The result is
 * dense. */
typedef struct {
    int32_t rows;
    int32_t depth;
    int32_t columns;
    int32_t lhs_row;
    int32_t lhs_column;
    int32_t rhs_row;
    int32_t rhs_column;
    kiln_float_range range;
} kiln_matrices;

/* One product for each batch. Batches lie by strides_1 in lhs and by strides_2 in rhs. The bias has an element for each
 * column, or is null. */
void kiln_matmul_f32(const kiln_matrices *matrices, const kiln_strides *batches, const float *lhs, const float *rhs,
    const float *bias, float *output);

/* The windows of a convolution. `upscale` - 1 zeros lie after each element of the input: more than 1 in a transposed
 * convolution, 1 in any other. Where `upscale` is above 1, the dilation is 1. `flipped` turns the kernel round.
 * `padding` is that in front of the input, and may be negative. */
typedef struct {
    cmsis_nn_tile stride;
    cmsis_nn_tile padding;
    cmsis_nn_tile dilation;
    cmsis_nn_tile upscale;
    bool flipped;
    kiln_float_range range;
} kiln_float_convolution;

/* NHWC. Kernels are [output channel][h][w][input channel of the group]; groups follow from the channels. The bias may be
 * null. */
void kiln_convolve_f32(const kiln_float_convolution *convolution, const cmsis_nn_dims *input_dims, const float *input,
    const cmsis_nn_dims *filter_dims, const float *filter, const float *bias, const cmsis_nn_dims *output_dims, float *output);
/* Output channel c reads input channel c / (output channels / input channels). Kernels are [1][h][w][output channel]. */
void kiln_depthwise_conv_f32(const kiln_float_convolution *convolution, const cmsis_nn_dims *input_dims, const float *input,
    const cmsis_nn_dims *filter_dims, const float *filter, const float *bias, const cmsis_nn_dims *output_dims, float *output);

/* The windows of a pooling. */
typedef struct {
    cmsis_nn_tile stride;
    cmsis_nn_tile padding;
    cmsis_nn_tile dilation;
} kiln_windows;

/* The greatest element of each window, or NaN if it has one. A window without elements gives minus infinity. */
void kiln_max_pool_f32(const kiln_windows *windows, const cmsis_nn_dims *input_dims, const float *input,
    const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims, float *output);
/* Average of each window, with the divisor of kiln_average. The dilation is 1. */
void kiln_avg_pool_f32(const kiln_windows *windows, int32_t divisor, bool padding_counts, const cmsis_nn_dims *input_dims,
    const float *input, const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims, float *output);

/* Reductions along the middle axis of [outer][n][inner]. */
void kiln_sum_f32(const float *input, int32_t outer, int32_t n, int32_t inner, float *output);
void kiln_mean_f32(const float *input, int32_t outer, int32_t n, int32_t inner, float *output);
void kiln_prod_f32(const float *input, int32_t outer, int32_t n, int32_t inner, float *output);
void kiln_max_f32(const float *input, int32_t outer, int32_t n, int32_t inner, float *output);
void kiln_min_f32(const float *input, int32_t outer, int32_t n, int32_t inner, float *output);
void kiln_sum_s32(const int32_t *input, int32_t outer, int32_t n, int32_t inner, int32_t *output);
void kiln_sum_s64(const int64_t *input, int32_t outer, int32_t n, int32_t inner, int64_t *output);
void kiln_prod_s32(const int32_t *input, int32_t outer, int32_t n, int32_t inner, int32_t *output);
void kiln_prod_s64(const int64_t *input, int32_t outer, int32_t n, int32_t inner, int64_t *output);
/* Of bools, the greatest is `any` and the least is `all`. */
void kiln_max_u8(const uint8_t *input, int32_t outer, int32_t n, int32_t inner, uint8_t *output);
void kiln_max_s8(const int8_t *input, int32_t outer, int32_t n, int32_t inner, int8_t *output);
void kiln_max_s16(const int16_t *input, int32_t outer, int32_t n, int32_t inner, int16_t *output);
void kiln_max_s32(const int32_t *input, int32_t outer, int32_t n, int32_t inner, int32_t *output);
void kiln_max_s64(const int64_t *input, int32_t outer, int32_t n, int32_t inner, int64_t *output);
void kiln_min_u8(const uint8_t *input, int32_t outer, int32_t n, int32_t inner, uint8_t *output);
void kiln_min_s8(const int8_t *input, int32_t outer, int32_t n, int32_t inner, int8_t *output);
void kiln_min_s16(const int16_t *input, int32_t outer, int32_t n, int32_t inner, int16_t *output);
void kiln_min_s32(const int32_t *input, int32_t outer, int32_t n, int32_t inner, int32_t *output);
void kiln_min_s64(const int64_t *input, int32_t outer, int32_t n, int32_t inner, int64_t *output);
/* The index of the first greatest or least element along the middle axis. NaN exceeds all numbers. */
void kiln_argmax_f32(const float *input, int32_t outer, int32_t n, int32_t inner, int32_t *output);
void kiln_argmin_f32(const float *input, int32_t outer, int32_t n, int32_t inner, int32_t *output);
/* The place of a window's maximum, as PyTorch's pools give it: the first of equal numbers, and the last of several NaN. */
void kiln_max_pool_place_f32(const float *input, int32_t outer, int32_t n, int32_t inner, int32_t *output);
/* Running sums, products and extremes along the middle axis. Integers wrap. The output may lie on the input. */
void kiln_cumsum_f32(const float *input, int32_t outer, int32_t n, int32_t inner, float *output);
void kiln_cumsum_s32(const int32_t *input, int32_t outer, int32_t n, int32_t inner, int32_t *output);
void kiln_cumsum_s64(const int64_t *input, int32_t outer, int32_t n, int32_t inner, int64_t *output);
void kiln_cumprod_f32(const float *input, int32_t outer, int32_t n, int32_t inner, float *output);
void kiln_cumprod_s32(const int32_t *input, int32_t outer, int32_t n, int32_t inner, int32_t *output);
void kiln_cumprod_s64(const int64_t *input, int32_t outer, int32_t n, int32_t inner, int64_t *output);
void kiln_cummax_f32(const float *input, int32_t outer, int32_t n, int32_t inner, float *output);
void kiln_cummax_s32(const int32_t *input, int32_t outer, int32_t n, int32_t inner, int32_t *output);
void kiln_cummax_s64(const int64_t *input, int32_t outer, int32_t n, int32_t inner, int64_t *output);
void kiln_cummin_f32(const float *input, int32_t outer, int32_t n, int32_t inner, float *output);
void kiln_cummin_s32(const int32_t *input, int32_t outer, int32_t n, int32_t inner, int32_t *output);
void kiln_cummin_s64(const int64_t *input, int32_t outer, int32_t n, int32_t inner, int64_t *output);
/* Softmax along the middle axis. The output may lie on the input. */
void kiln_softmax_f32(const float *input, int32_t outer, int32_t n, int32_t inner, float *output);
void kiln_log_softmax_f32(const float *input, int32_t outer, int32_t n, int32_t inner, float *output);
/* Each row, less its mean if `centred`, over the root of its variance plus eps; then times the weight and plus the bias,
 * either of which may be null. The output may lie on the input. */
void kiln_norm_f32(const float *input, int32_t rows, int32_t n, float eps, bool centred, const float *weight, const float *bias,
    float *output);
/* The `k` largest or smallest elements of each row along the middle axis, in order, and their indices. NaN counts as the
 * greatest, and equal elements keep their order. Each of the `k` takes a pass over the row. */
void kiln_top_k_f32(const float *input, int32_t outer, int32_t n, int32_t inner, int32_t k, bool largest, float *values,
    int32_t *indices);

#ifdef __cplusplus
}
#endif
#endif

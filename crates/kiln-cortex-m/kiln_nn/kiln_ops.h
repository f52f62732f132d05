/* Kernels that CMSIS-NN has no function for, in the style of kiln_nn.h. They are linked beside CMSIS-NN too.
 *
 * Shapes have 1 to KILN_MAX_RANK dimensions; strides count elements. Data of one element size (1, 2, 4 or 8 bytes) share a kernel
 * where integers are only moved. Such kernels need no alignment; others need that of their types. Outputs are dense unless
 * strides are given. They lie apart from the inputs; those of element-wise kernels may lie on an input of their type and shape.
 * [outer][n][inner] is a tensor whose middle axis is worked on. */
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

/* `size` integers requantised. int32_t plus the offset wraps. */
void kiln_requantize_s8_s8(const kiln_scaling *scaling, const int8_t *input, int8_t *output, int32_t size);
void kiln_requantize_s8_s16(const kiln_scaling *scaling, const int8_t *input, int16_t *output, int32_t size);
void kiln_requantize_s16_s8(const kiln_scaling *scaling, const int16_t *input, int8_t *output, int32_t size);
void kiln_requantize_s16_s16(const kiln_scaling *scaling, const int16_t *input, int16_t *output, int32_t size);
void kiln_requantize_s32_s8(const kiln_scaling *scaling, const int32_t *input, int8_t *output, int32_t size);
void kiln_requantize_s32_s16(const kiln_scaling *scaling, const int32_t *input, int16_t *output, int32_t size);

/* Entry x + 128 of 256, or x + 32768 of 65,536. */
void kiln_table_s8(const int8_t *table, const int8_t *input, int8_t *output, int32_t size);
void kiln_table_s8_s16(const int16_t *table, const int8_t *input, int16_t *output, int32_t size);
void kiln_table_s16(const int16_t *table, const int16_t *input, int16_t *output, int32_t size);
/* 513 entries for -32768, -32640, ... 32768; between them interpolated, halves up. */
void kiln_table_interpolated_s16(const int16_t *table, const int16_t *input, int16_t *output, int32_t size);

/* Sum and difference: both operands are moved, shifted left and requantised, and so is their sum. */
void kiln_add_s8(const kiln_operands *operands, const kiln_strides *strides, const int8_t *input_1, const int8_t *input_2,
    int8_t *output);
void kiln_add_s16(const kiln_operands *operands, const kiln_strides *strides, const int16_t *input_1, const int16_t *input_2,
    int16_t *output);
void kiln_sub_s8(const kiln_operands *operands, const kiln_strides *strides, const int8_t *input_1, const int8_t *input_2,
    int8_t *output);
void kiln_sub_s16(const kiln_operands *operands, const kiln_strides *strides, const int16_t *input_1, const int16_t *input_2,
    int16_t *output);
/* Product, requantised. The operands' multipliers and shifts are not read here and in divisions. Products of int16_t with offsets
 * must fit int32_t. */
void kiln_mul_s8(const kiln_operands *operands, const kiln_strides *strides, const int8_t *input_1, const int8_t *input_2,
    int8_t *output);
void kiln_mul_s16(const kiln_operands *operands, const kiln_strides *strides, const int16_t *input_1, const int16_t *input_2,
    int16_t *output);
/* The exact quotient times multiplier * 2^(shift - 31), rounded once, halves to even; the multiplier is not negative. By 0, what
 * is greater than 0 gives the greatest result, what is less the smallest, and 0 gives output_offset, clamped. */
void kiln_div_s8(const kiln_operands *operands, const kiln_strides *strides, const int8_t *input_1, const int8_t *input_2,
    int8_t *output);
void kiln_div_s16(const kiln_operands *operands, const kiln_strides *strides, const int16_t *input_1, const int16_t *input_2,
    int16_t *output);
/* The smaller and the greater of two integers of the same quantisation. */
void kiln_minimum_s8(const kiln_strides *strides, const int8_t *input_1, const int8_t *input_2, int8_t *output);
void kiln_minimum_s16(const kiln_strides *strides, const int16_t *input_1, const int16_t *input_2, int16_t *output);
void kiln_maximum_s8(const kiln_strides *strides, const int8_t *input_1, const int8_t *input_2, int8_t *output);
void kiln_maximum_s16(const kiln_strides *strides, const int16_t *input_1, const int16_t *input_2, int16_t *output);

/* Sum along the middle axis of x + input_offset, requantised once; a mean has 1 / n in the multiplier. Sums wrap past int32_t. */
void kiln_sum_s8(const kiln_scaling *scaling, const int8_t *input, int32_t outer, int32_t n, int32_t inner, int8_t *output);
void kiln_sum_s16(const kiln_scaling *scaling, const int16_t *input, int32_t outer, int32_t n, int32_t inner, int16_t *output);
/* The index of the first greatest integer along the middle axis. */
void kiln_argmax_s8(const int8_t *input, int32_t outer, int32_t n, int32_t inner, int32_t *output);
void kiln_argmax_s16(const int16_t *input, int32_t outer, int32_t n, int32_t inner, int32_t *output);
/* arm_softmax_s8 along the middle axis. */
void kiln_softmax_s8(const int8_t *input, int32_t outer, int32_t n, int32_t inner, int32_t multiplier, int32_t shift,
    int32_t diff_min, int8_t *output);

/* What a window's sum is divided by: `divisor`, or if that is 0 the elements counted. With `padding_counts` the padding (also that
 * after the input, of the same size) counts; it adds nothing to the sum. */
typedef struct {
    int32_t zero_point;
    int32_t divisor;
    bool padding_counts;
} kiln_average;

/* Mean of each window, halves to even of the distance from the zero point; input and output have one quantisation. The windows
 * follow from the dims of the output, so that those of a ceiling mode may reach past the padding. One with nothing to count is
 * refused. */
arm_cmsis_nn_status kiln_avg_pool_s8(const cmsis_nn_pool_params *params, const kiln_average *average,
    const cmsis_nn_dims *input_dims, const int8_t *input, const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
    int8_t *output);
arm_cmsis_nn_status kiln_avg_pool_s16(const cmsis_nn_pool_params *params, const kiln_average *average,
    const cmsis_nn_dims *input_dims, const int16_t *input, const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
    int16_t *output);
/* arm_max_pool_s8 with taps `dilation` apart. */
arm_cmsis_nn_status kiln_max_pool_s8(const cmsis_nn_pool_params *params, cmsis_nn_tile dilation, const cmsis_nn_dims *input_dims,
    const int8_t *input, const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims, int8_t *output);
arm_cmsis_nn_status kiln_max_pool_s16(const cmsis_nn_pool_params *params, cmsis_nn_tile dilation, const cmsis_nn_dims *input_dims,
    const int16_t *input, const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims, int16_t *output);

/* Copies elements from strides_1 of the input to strides_2 of the output: a transpose, a slice (the input begins at its first
 * element, a step multiplies its stride), a flip (a negative stride), an expansion (stride 0), or a part of a concatenation. */
arm_cmsis_nn_status kiln_copy(const kiln_strides *strides, int32_t element_size, const void *input, void *output);

/* What lies beyond the input: a value; its elements turned back at the edge; the last ones repeated; the elements of the other
 * edge. */
typedef enum { KILN_PAD_CONSTANT, KILN_PAD_REFLECT, KILN_PAD_REPLICATE, KILN_PAD_CIRCULAR } kiln_pad_mode;

/* Sizes of the input, and how many elements lie before and after it in the output; negative ones cut it. */
typedef struct {
    int32_t rank;
    int32_t sizes[KILN_MAX_RANK];
    int32_t before[KILN_MAX_RANK];
    int32_t after[KILN_MAX_RANK];
} kiln_padding;

/* `value` points to an element and may be null where the mode is not constant. Refused: reflections of size and more, and
 * circular padding of more than size, and input without elements where they would be needed. */
arm_cmsis_nn_status kiln_pad(const kiln_padding *padding, kiln_pad_mode mode, const void *value, int32_t element_size,
    const void *input, void *output);

/* Output [outer][count][inner bytes] from input [outer][n][inner bytes], by indices of n; negative ones count from its end. Others
 * are refused. */
arm_cmsis_nn_status kiln_gather(const void *input, int32_t outer, int32_t n, int32_t inner_bytes, const int32_t *indices,
    int32_t count, void *output);
/* Element by element: strides_2 are those of the indices, and strides_1 those of the input, 0 along the axis that is indexed. That
 * has `axis_size` elements `axis_stride` apart. */
arm_cmsis_nn_status kiln_gather_elements(const kiln_strides *strides, int32_t axis_size, int32_t axis_stride, int32_t element_size,
    const void *input, const int32_t *indices, void *output);

#ifdef __cplusplus
}
#endif
#endif

/* Integer kernels in portable C99 with the interface of CMSIS-NN: its names, its argument order, and its results, bit
 * for bit.
 *
 * With KILN_NN_USE_CMSIS defined, CMSIS-NN's headers declare the functions, and CMSIS-NN is to be linked. Otherwise this
 * file declares them, and the .c files of this folder are to be linked. They differ from CMSIS-NN in three points:
 * - No kernel needs scratch memory. A context (`ctx`, ...) may be null, and so may its buffer. LSTM needs no temp1 and
 *   temp2.
 * - The `ctx` of fully connected layers and of arm_svdf_s8 holds no kernel sums: every core reads the bias, as CMSIS-NN
 *   does without MVE.
 * - arm_convolve_even_s4 is there on every core.
 *
 * Tensors are dense, the last dimension fastest: activations NHWC, weights of convolutions OHWI, weights of depthwise
 * convolutions 1HWO. The integer x stands for the real scale * (x - zero point). An *input* or *filter* offset is minus
 * the zero point; an *output* offset is the zero point. A multiplier and a shift stand for the real multiplier *
 * 2^(shift - 31); the shift is -31 to 30, positive to the left. The dims of a bias are not read. int8_t data need no
 * alignment. 4-bit integers are packed, the first of a byte in its low bits. */
#ifndef KILN_NN_H
#define KILN_NN_H

#ifdef KILN_NN_USE_CMSIS
#include "arm_nnfunctions.h"
#include "arm_nnsupportfunctions.h"
#else

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a function returns. A pooling may have written results before it refuses a window; any other function that
 * refuses its arguments has written nothing. */
typedef enum {
    ARM_CMSIS_NN_SUCCESS = 0,
    ARM_CMSIS_NN_ARG_ERROR = -1,
    ARM_CMSIS_NN_NO_IMPL_ERROR = -2,
    ARM_CMSIS_NN_FAILURE = -3
} arm_cmsis_nn_status;

typedef enum { ARM_SIGMOID = 0, ARM_TANH = 1 } arm_nn_activation_type;

/* Scratch memory: its address and size in bytes. */
typedef struct {
    void *buf;
    int32_t size;
} cmsis_nn_context;

/* Two numbers of elements: along the width and along the height. */
typedef struct {
    int32_t w;
    int32_t h;
} cmsis_nn_tile;

/* The sizes of a tensor. n counts batches, in weights output channels; elsewhere it is the first of four dimensions. */
typedef struct {
    int32_t n;
    int32_t h;
    int32_t w;
    int32_t c;
} cmsis_nn_dims;

/* The bias of int16_t convolutions: int32_t or int64_t, or null. */
typedef struct {
    const void *data;
    bool is_int32_bias;
} cmsis_nn_bias_data;

/* One multiplier and one shift for each output channel. */
typedef struct {
    int32_t *multiplier;
    int32_t *shift;
} cmsis_nn_per_channel_quant_params;

typedef struct {
    int32_t multiplier;
    int32_t shift;
} cmsis_nn_per_tensor_quant_params;

/* One multiplier and shift for each output channel, or the first for all. */
typedef struct {
    int32_t *multiplier;
    int32_t *shift;
    int32_t is_per_channel;
} cmsis_nn_quant_params;

/* The range that results are clamped to, in integers of the output. */
typedef struct {
    int32_t min;
    int32_t max;
} cmsis_nn_activation;

/* `padding` lies before the first element; what lies after the last follows from the dims of the output. */
typedef struct {
    int32_t input_offset;
    int32_t output_offset;
    cmsis_nn_tile stride;
    cmsis_nn_tile padding;
    cmsis_nn_tile dilation;
    cmsis_nn_activation activation;
} cmsis_nn_conv_params;

/* `padding` is cut off the output before its first element. `padding_offsets` and `dilation` are not read. */
typedef struct {
    int32_t input_offset;
    int32_t output_offset;
    cmsis_nn_tile stride;
    cmsis_nn_tile padding;
    cmsis_nn_tile padding_offsets;
    cmsis_nn_tile dilation;
    cmsis_nn_activation activation;
} cmsis_nn_transpose_conv_params;

/* `ch_mult` is the number of output channels of each input channel. */
typedef struct {
    int32_t input_offset;
    int32_t output_offset;
    int32_t ch_mult;
    cmsis_nn_tile stride;
    cmsis_nn_tile padding;
    cmsis_nn_tile dilation;
    cmsis_nn_activation activation;
} cmsis_nn_dw_conv_params;

typedef struct {
    cmsis_nn_tile stride;
    cmsis_nn_tile padding;
    cmsis_nn_activation activation;
} cmsis_nn_pool_params;

typedef struct {
    int32_t input_offset;
    int32_t filter_offset;
    int32_t output_offset;
    cmsis_nn_activation activation;
} cmsis_nn_fc_params;

/* The flags are not read: both operands have their common dimension last. */
typedef struct {
    bool adj_x;
    bool adj_y;
    cmsis_nn_fc_params fc_params;
} cmsis_nn_bmm_params;

/* Dimension i of the output is dimension permutations[i] of the input. */
typedef struct {
    int32_t num_dims;
    const uint32_t *permutations;
} cmsis_nn_transpose_params;

/* `input_offset` and `output_offset` are zero points here. */
typedef struct {
    int32_t rank;
    int32_t input_offset;
    int32_t output_offset;
    cmsis_nn_activation input_activation;
    cmsis_nn_activation output_activation;
} cmsis_nn_svdf_params;

/* 513 entries each, of 15 fractional bits: exp over -10 to 0, and 1 / (1 + x) over 0 to 1. */
typedef struct {
    const int16_t *exp_lut;
    const int16_t *one_by_one_lut;
} cmsis_nn_softmax_lut_s16;

/* A gate of an LSTM. Weights are int8_t [hidden][input] and int8_t [hidden][hidden]. An effective bias contains the
 * input's offset times the sum of each row of weights; it is int32_t for int8_t data, and int64_t for int16_t data.
 * `bias` is not read. */
typedef struct {
    int32_t input_multiplier;
    int32_t input_shift;
    const void *input_weights;
    const void *input_effective_bias;
    int32_t hidden_multiplier;
    int32_t hidden_shift;
    const void *hidden_weights;
    const void *hidden_effective_bias;
    const void *bias;
    arm_nn_activation_type activation_type;
} cmsis_nn_lstm_gate;

/* The scale of the state of the cells is 2^cell_scale_power; `input_offset` is not read. */
typedef struct {
    int32_t time_major;
    int32_t batch_size;
    int32_t time_steps;
    int32_t input_size;
    int32_t hidden_size;
    int32_t input_offset;
    int32_t forget_to_cell_multiplier;
    int32_t forget_to_cell_shift;
    int32_t input_to_cell_multiplier;
    int32_t input_to_cell_shift;
    int32_t cell_clip;
    int32_t cell_scale_power;
    int32_t output_multiplier;
    int32_t output_shift;
    int32_t output_offset;
    cmsis_nn_lstm_gate forget_gate;
    cmsis_nn_lstm_gate input_gate;
    cmsis_nn_lstm_gate cell_gate;
    cmsis_nn_lstm_gate output_gate;
} cmsis_nn_lstm_params;

/* The call updates int16_t cell_state[batch][hidden], and hidden_state[batch][hidden] of the data's type. Without a
 * hidden state both start from zero. */
typedef struct {
    void *temp1;
    void *temp2;
    void *cell_state;
    void *hidden_state;
} cmsis_nn_lstm_context;

/* Convolution of int8_t with int8_t weights. A filter with fewer channels than the input makes groups. With a size 2 in
 * `upscale_dims`, a zero lies after each element along that axis, and input_dims count the zeros; `upscale_dims` may be
 * null. */
arm_cmsis_nn_status arm_convolve_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int8_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims,
    const int32_t *bias_data, const cmsis_nn_dims *upscale_dims, const cmsis_nn_dims *output_dims,
    int8_t *output_data);
/* The same, with limits: the wrapper has none; 1x1 takes a 1x1 kernel without padding, and 1x1_s8_fast the stride 1 in
 * addition; 1_x_n takes one row without dilation. */
arm_cmsis_nn_status arm_convolve_wrapper_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int8_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims,
    const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data);
arm_cmsis_nn_status arm_convolve_1x1_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int8_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims,
    const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data);
arm_cmsis_nn_status arm_convolve_1x1_s8_fast(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int8_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims,
    const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data);
arm_cmsis_nn_status arm_convolve_1_x_n_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int8_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims,
    const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data);

/* Convolution of int8_t with packed 4-bit weights. */
arm_cmsis_nn_status arm_convolve_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int8_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims,
    const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data);
/* The same, with the limits of the functions above; arm_convolve_even_s4 has none. */
arm_cmsis_nn_status arm_convolve_wrapper_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int8_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims,
    const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data);
arm_cmsis_nn_status arm_convolve_1x1_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int8_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims,
    const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data);
arm_cmsis_nn_status arm_convolve_1x1_s4_fast(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int8_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims,
    const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data);
arm_cmsis_nn_status arm_convolve_1_x_n_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int8_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims,
    const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data);
arm_cmsis_nn_status arm_convolve_even_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int8_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims,
    const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data);

/* Convolution of int16_t (zero points are 0) with int8_t weights. */
arm_cmsis_nn_status arm_convolve_s16(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int16_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims,
    const cmsis_nn_bias_data *bias_data, const cmsis_nn_dims *output_dims, int16_t *output_data);
arm_cmsis_nn_status arm_convolve_wrapper_s16(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int16_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims,
    const cmsis_nn_bias_data *bias_data, const cmsis_nn_dims *output_dims, int16_t *output_data);

/* Transposed convolution of int8_t. Weights are OHWI, and the stride is a distance in the output. Both functions compute
 * the same. */
arm_cmsis_nn_status arm_transpose_conv_s8(const cmsis_nn_context *ctx, const cmsis_nn_context *output_ctx,
    const cmsis_nn_transpose_conv_params *transpose_conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int8_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims,
    const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data);
arm_cmsis_nn_status arm_transpose_conv_wrapper_s8(const cmsis_nn_context *ctx, const cmsis_nn_context *output_ctx,
    const cmsis_nn_transpose_conv_params *transpose_conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int8_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims,
    const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data);

/* Depthwise convolution of int8_t with int8_t weights. */
arm_cmsis_nn_status arm_depthwise_conv_s8(const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int8_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims,
    const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data);
/* The same, with limits: the wrapper has none; 3x3 takes a 3x3 kernel with one output channel for each input channel;
 * _opt takes one output channel for each input channel. */
arm_cmsis_nn_status arm_depthwise_conv_wrapper_s8(const cmsis_nn_context *ctx,
    const cmsis_nn_dw_conv_params *dw_conv_params, const cmsis_nn_per_channel_quant_params *quant_params,
    const cmsis_nn_dims *input_dims, const int8_t *input_data, const cmsis_nn_dims *filter_dims,
    const int8_t *filter_data, const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
    const cmsis_nn_dims *output_dims, int8_t *output_data);
arm_cmsis_nn_status arm_depthwise_conv_3x3_s8(const cmsis_nn_context *ctx,
    const cmsis_nn_dw_conv_params *dw_conv_params, const cmsis_nn_per_channel_quant_params *quant_params,
    const cmsis_nn_dims *input_dims, const int8_t *input_data, const cmsis_nn_dims *filter_dims,
    const int8_t *filter_data, const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
    const cmsis_nn_dims *output_dims, int8_t *output_data);
arm_cmsis_nn_status arm_depthwise_conv_s8_opt(const cmsis_nn_context *ctx,
    const cmsis_nn_dw_conv_params *dw_conv_params, const cmsis_nn_per_channel_quant_params *quant_params,
    const cmsis_nn_dims *input_dims, const int8_t *input_data, const cmsis_nn_dims *filter_dims,
    const int8_t *filter_data, const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
    const cmsis_nn_dims *output_dims, int8_t *output_data);

/* Depthwise convolution of int8_t with packed 4-bit weights. */
arm_cmsis_nn_status arm_depthwise_conv_s4(const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int8_t *input,
    const cmsis_nn_dims *filter_dims, const int8_t *kernel, const cmsis_nn_dims *bias_dims, const int32_t *bias,
    const cmsis_nn_dims *output_dims, int8_t *output);
/* The same, with limits: the wrapper has none; _opt takes one output channel for each input channel. */
arm_cmsis_nn_status arm_depthwise_conv_wrapper_s4(const cmsis_nn_context *ctx,
    const cmsis_nn_dw_conv_params *dw_conv_params, const cmsis_nn_per_channel_quant_params *quant_params,
    const cmsis_nn_dims *input_dims, const int8_t *input_data, const cmsis_nn_dims *filter_dims,
    const int8_t *filter_data, const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
    const cmsis_nn_dims *output_dims, int8_t *output_data);
arm_cmsis_nn_status arm_depthwise_conv_s4_opt(const cmsis_nn_context *ctx,
    const cmsis_nn_dw_conv_params *dw_conv_params, const cmsis_nn_per_channel_quant_params *quant_params,
    const cmsis_nn_dims *input_dims, const int8_t *input_data, const cmsis_nn_dims *filter_dims,
    const int8_t *filter_data, const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
    const cmsis_nn_dims *output_dims, int8_t *output_data);

/* Depthwise convolution of int16_t (zero points are 0) with int8_t weights. */
arm_cmsis_nn_status arm_depthwise_conv_s16(const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
    const cmsis_nn_per_channel_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int16_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims,
    const int64_t *bias_data, const cmsis_nn_dims *output_dims, int16_t *output_data);
/* The same, with limits: the wrapper has none; fast takes one output channel for each input channel and a kernel of less
 * than 512 elements. */
arm_cmsis_nn_status arm_depthwise_conv_wrapper_s16(const cmsis_nn_context *ctx,
    const cmsis_nn_dw_conv_params *dw_conv_params, const cmsis_nn_per_channel_quant_params *quant_params,
    const cmsis_nn_dims *input_dims, const int16_t *input_data, const cmsis_nn_dims *filter_dims,
    const int8_t *filter_data, const cmsis_nn_dims *bias_dims, const int64_t *bias_data,
    const cmsis_nn_dims *output_dims, int16_t *output_data);
arm_cmsis_nn_status arm_depthwise_conv_fast_s16(const cmsis_nn_context *ctx,
    const cmsis_nn_dw_conv_params *dw_conv_params, const cmsis_nn_per_channel_quant_params *quant_params,
    const cmsis_nn_dims *input_dims, const int16_t *input_data, const cmsis_nn_dims *filter_dims,
    const int8_t *filter_data, const cmsis_nn_dims *bias_dims, const int64_t *bias_data,
    const cmsis_nn_dims *output_dims, int16_t *output_data);

/* Fully connected: input [input_dims.n][filter_dims.n], weights [output_dims.c][filter_dims.n]. */
arm_cmsis_nn_status arm_fully_connected_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
    const cmsis_nn_per_tensor_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int8_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims,
    const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data);
arm_cmsis_nn_status arm_fully_connected_per_channel_s8(const cmsis_nn_context *ctx,
    const cmsis_nn_fc_params *fc_params, const cmsis_nn_per_channel_quant_params *quant_params,
    const cmsis_nn_dims *input_dims, const int8_t *input_data, const cmsis_nn_dims *filter_dims,
    const int8_t *filter_data, const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
    const cmsis_nn_dims *output_dims, int8_t *output_data);
arm_cmsis_nn_status arm_fully_connected_wrapper_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
    const cmsis_nn_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int8_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims,
    const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data);
/* The same with packed 4-bit weights of zero point 0. */
arm_cmsis_nn_status arm_fully_connected_s4(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
    const cmsis_nn_per_tensor_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int8_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims,
    const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data);
/* The same for int16_t (zero points are 0). */
arm_cmsis_nn_status arm_fully_connected_s16(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
    const cmsis_nn_per_tensor_quant_params *quant_params, const cmsis_nn_dims *input_dims, const int16_t *input_data,
    const cmsis_nn_dims *filter_dims, const int8_t *filter_data, const cmsis_nn_dims *bias_dims,
    const int64_t *bias_data, const cmsis_nn_dims *output_dims, int16_t *output_data);

/* Products of matrices: [n][h][w][c] by [n][h][rhs w][c] gives [n][h][w][rhs w]. A size of 1 in n or h is repeated. */
arm_cmsis_nn_status arm_batch_matmul_s8(const cmsis_nn_context *ctx, const cmsis_nn_bmm_params *bmm_params,
    const cmsis_nn_per_tensor_quant_params *quant_params, const cmsis_nn_dims *input_lhs_dims,
    const int8_t *input_lhs, const cmsis_nn_dims *input_rhs_dims, const int8_t *input_rhs,
    const cmsis_nn_dims *output_dims, int8_t *output);
arm_cmsis_nn_status arm_batch_matmul_s16(const cmsis_nn_context *ctx, const cmsis_nn_bmm_params *bmm_params,
    const cmsis_nn_per_tensor_quant_params *quant_params, const cmsis_nn_dims *input_lhs_dims,
    const int16_t *input_lhs, const cmsis_nn_dims *input_rhs_dims, const int16_t *input_rhs,
    const cmsis_nn_dims *output_dims, int16_t *output);

/* For each row of weights: bias + lhs_offset * sum of (weight + rhs_offset). The bias may be null. */
arm_cmsis_nn_status arm_vector_sum_s8(int32_t *vector_sum_buf, int32_t vector_cols, int32_t vector_rows,
    const int8_t *vector_data, int32_t lhs_offset, int32_t rhs_offset, const int32_t *bias_data);
arm_cmsis_nn_status arm_vector_sum_s8_s64(int64_t *vector_sum_buf, int32_t vector_cols, int32_t vector_rows,
    const int8_t *vector_data, int32_t lhs_offset, const int64_t *bias_data);

/* Sum. Each input plus its offset is shifted left and requantised; the sum of both is requantised again. For int16_t the
 * offsets are not read. */
arm_cmsis_nn_status arm_elementwise_add_s8(const int8_t *input_1_vect, const int8_t *input_2_vect,
    int32_t input_1_offset, int32_t input_1_mult, int32_t input_1_shift, int32_t input_2_offset, int32_t input_2_mult,
    int32_t input_2_shift, int32_t left_shift, int8_t *output, int32_t out_offset, int32_t out_mult,
    int32_t out_shift, int32_t out_activation_min, int32_t out_activation_max, int32_t block_size);
arm_cmsis_nn_status arm_elementwise_add_s16(const int16_t *input_1_vect, const int16_t *input_2_vect,
    int32_t input_1_offset, int32_t input_1_mult, int32_t input_1_shift, int32_t input_2_offset, int32_t input_2_mult,
    int32_t input_2_shift, int32_t left_shift, int16_t *output, int32_t out_offset, int32_t out_mult,
    int32_t out_shift, int32_t out_activation_min, int32_t out_activation_max, int32_t block_size);
/* Product, requantised. For int16_t the offsets are not read. */
arm_cmsis_nn_status arm_elementwise_mul_s8(const int8_t *input_1_vect, const int8_t *input_2_vect,
    int32_t input_1_offset, int32_t input_2_offset, int8_t *output, int32_t out_offset, int32_t out_mult,
    int32_t out_shift, int32_t out_activation_min, int32_t out_activation_max, int32_t block_size);
arm_cmsis_nn_status arm_elementwise_mul_s16(const int16_t *input_1_vect, const int16_t *input_2_vect,
    int32_t input_1_offset, int32_t input_2_offset, int16_t *output, int32_t out_offset, int32_t out_mult,
    int32_t out_shift, int32_t out_activation_min, int32_t out_activation_max, int32_t block_size);
/* The lesser and the greater of two integers of one quantisation. A size of 1 is repeated. */
arm_cmsis_nn_status arm_minimum_s8(const cmsis_nn_context *ctx, const int8_t *input_1_data,
    const cmsis_nn_dims *input_1_dims, const int8_t *input_2_data, const cmsis_nn_dims *input_2_dims,
    int8_t *output_data, const cmsis_nn_dims *output_dims);
arm_cmsis_nn_status arm_maximum_s8(const cmsis_nn_context *ctx, const int8_t *input_1_data,
    const cmsis_nn_dims *input_1_dims, const int8_t *input_2_data, const cmsis_nn_dims *input_2_dims,
    int8_t *output_data, const cmsis_nn_dims *output_dims);

/* Average of the elements of each window that lie in the input, halves away from 0. A window without elements is
 * refused. */
arm_cmsis_nn_status arm_avgpool_s8(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,
    const cmsis_nn_dims *input_dims, const int8_t *input_data, const cmsis_nn_dims *filter_dims,
    const cmsis_nn_dims *output_dims, int8_t *output_data);
arm_cmsis_nn_status arm_avgpool_s16(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,
    const cmsis_nn_dims *input_dims, const int16_t *input_data, const cmsis_nn_dims *filter_dims,
    const cmsis_nn_dims *output_dims, int16_t *output_data);
/* Maximum of the elements of each window that lie in the input. */
arm_cmsis_nn_status arm_max_pool_s8(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,
    const cmsis_nn_dims *input_dims, const int8_t *input_data, const cmsis_nn_dims *filter_dims,
    const cmsis_nn_dims *output_dims, int8_t *output_data);
arm_cmsis_nn_status arm_max_pool_s16(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,
    const cmsis_nn_dims *input_dims, const int16_t *src, const cmsis_nn_dims *filter_dims,
    const cmsis_nn_dims *output_dims, int16_t *dst);

/* Softmax of each row. (1 << shift) * multiplier scales differences from the maximum to 26 fractional bits; a difference
 * below `diff_min` counts as 0. Scale and zero point of the outputs are 1/256 and -128 (s8), 1/65536 and -32768
 * (s8_s16), 1/256 and 0 (u8). */
void arm_softmax_s8(const int8_t *input, int32_t num_rows, int32_t row_size, int32_t mult, int32_t shift,
    int32_t diff_min, int8_t *output);
void arm_softmax_s8_s16(const int8_t *input, int32_t num_rows, int32_t row_size, int32_t mult, int32_t shift,
    int32_t diff_min, int16_t *output);
void arm_softmax_u8(const uint8_t *input, int32_t num_rows, int32_t row_size, int32_t mult, int32_t shift,
    int32_t diff_min, uint8_t *output);
/* Softmax of each row, by tables. Multiplier and shift scale differences from the maximum to 32768ths of 10. The scale
 * of the output is 1/32768. */
arm_cmsis_nn_status arm_softmax_s16(const int16_t *input, int32_t num_rows, int32_t row_size, int32_t mult,
    int32_t shift, const cmsis_nn_softmax_lut_s16 *softmax_params, int16_t *output);

/* Sigmoid or tanh. The scale of the input is 2^(left_shift - 12), that of the output 1/32768. */
arm_cmsis_nn_status arm_nn_activation_s16(const int16_t *input, int16_t *output, int32_t size, int32_t left_shift,
    arm_nn_activation_type type);
/* In place, for the zero point 0: what is below 0 becomes 0. arm_relu6_s8: what is above 6 becomes 6, too. */
void arm_relu_q7(int8_t *data, uint16_t size);
void arm_relu_q15(int16_t *data, uint16_t size);
void arm_relu6_s8(int8_t *data, uint16_t size);

/* Copies [w][z][y][x] to a place along one dimension of an output that is longer along it. */
void arm_concatenation_s8_x(const int8_t *input, uint16_t input_x, uint16_t input_y, uint16_t input_z,
    uint16_t input_w, int8_t *output, uint16_t output_x, uint32_t offset_x);
void arm_concatenation_s8_y(const int8_t *input, uint16_t input_x, uint16_t input_y, uint16_t input_z,
    uint16_t input_w, int8_t *output, uint16_t output_y, uint32_t offset_y);
void arm_concatenation_s8_z(const int8_t *input, uint16_t input_x, uint16_t input_y, uint16_t input_z,
    uint16_t input_w, int8_t *output, uint16_t output_z, uint32_t offset_z);
void arm_concatenation_s8_w(const int8_t *input, uint16_t input_x, uint16_t input_y, uint16_t input_z,
    uint16_t input_w, int8_t *output, uint32_t offset_w);
void arm_reshape_s8(const int8_t *input, int8_t *output, uint32_t total_size);
arm_cmsis_nn_status arm_pad_s8(const int8_t *input, int8_t *output, int8_t pad_value, const cmsis_nn_dims *input_size,
    const cmsis_nn_dims *pre_pad, const cmsis_nn_dims *post_pad);
arm_cmsis_nn_status arm_transpose_s8(const int8_t *input_data, int8_t *output_data, const cmsis_nn_dims *input_dims,
    const cmsis_nn_dims *output_dims, const cmsis_nn_transpose_params *transpose_params);

/* SVDF. The state [batch][feature][time] first moves by one element. Weights are [feature][input] and [feature][time],
 * and there are units * rank features. The bias may be null. */
arm_cmsis_nn_status arm_svdf_s8(const cmsis_nn_context *ctx, const cmsis_nn_context *input_ctx,
    const cmsis_nn_context *output_ctx, const cmsis_nn_svdf_params *svdf_params,
    const cmsis_nn_per_tensor_quant_params *input_quant_params,
    const cmsis_nn_per_tensor_quant_params *output_quant_params, const cmsis_nn_dims *input_dims,
    const int8_t *input_data, const cmsis_nn_dims *state_dims, int8_t *state_data,
    const cmsis_nn_dims *weights_feature_dims, const int8_t *weights_feature_data,
    const cmsis_nn_dims *weights_time_dims, const int8_t *weights_time_data, const cmsis_nn_dims *bias_dims,
    const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data);
/* The same with int16_t state and weights of time. */
arm_cmsis_nn_status arm_svdf_state_s16_s8(const cmsis_nn_context *input_ctx, const cmsis_nn_context *output_ctx,
    const cmsis_nn_svdf_params *svdf_params, const cmsis_nn_per_tensor_quant_params *input_quant_params,
    const cmsis_nn_per_tensor_quant_params *output_quant_params, const cmsis_nn_dims *input_dims,
    const int8_t *input_data, const cmsis_nn_dims *state_dims, int16_t *state_data,
    const cmsis_nn_dims *weights_feature_dims, const int8_t *weights_feature_data,
    const cmsis_nn_dims *weights_time_dims, const int16_t *weights_time_data, const cmsis_nn_dims *bias_dims,
    const int32_t *bias_data, const cmsis_nn_dims *output_dims, int8_t *output_data);

/* LSTM. The input is [time][batch][input_size] if time_major, else [batch][time][input_size]; so is the output, with
 * hidden_size. */
arm_cmsis_nn_status arm_lstm_unidirectional_s8(const int8_t *input, int8_t *output,
    const cmsis_nn_lstm_params *params, cmsis_nn_lstm_context *buffers);
arm_cmsis_nn_status arm_lstm_unidirectional_s16(const int16_t *input, int16_t *output,
    const cmsis_nn_lstm_params *params, cmsis_nn_lstm_context *buffers);

#ifdef __cplusplus
}
#endif
#endif /* KILN_NN_USE_CMSIS */
#endif

/* Sums of products of int8_t with int8_t weights: the inner loops of layers. */
#include "internal.h"

uint32_t kiln_dot_s8(uint32_t sum, const int8_t *x, int32_t length, int32_t offset, const int8_t *weights, int32_t first)
{
    weights += first;
    for (int32_t i = 0; i < length; i++) {
        sum += (uint32_t)((x[i] + offset) * weights[i]);
    }
    return sum;
}

void kiln_dot4_s8(uint32_t sums[4], const int8_t *x, int32_t length, int32_t offset, const int8_t *weights, int32_t first,
    int32_t stride)
{
    const int8_t *row0 = weights + first, *row1 = row0 + stride, *row2 = row1 + stride, *row3 = row2 + stride;
    uint32_t sum0 = sums[0], sum1 = sums[1], sum2 = sums[2], sum3 = sums[3];
    for (const int8_t *end = x + length; x != end;) {
        int32_t value = *x++ + offset;
        sum0 += (uint32_t)(value * *row0++);
        sum1 += (uint32_t)(value * *row1++);
        sum2 += (uint32_t)(value * *row2++);
        sum3 += (uint32_t)(value * *row3++);
    }
    sums[0] = sum0;
    sums[1] = sum1;
    sums[2] = sum2;
    sums[3] = sum3;
}

uint32_t kiln_window_s8(uint32_t sum, const kiln_window *window, const int8_t *input, const int8_t *weights, int32_t first)
{
    const int32_t columns = window->columns, column = window->input_column, tap = window->weight_column;
    for (int32_t y = 0; y < window->rows; y++, first += window->weight_row) {
        int32_t at = y * window->input_row, weight = first;
        for (int32_t x = columns; x > 0; x--, at += column, weight += tap) {
            sum += (uint32_t)((input[at] + window->input_offset) * weights[weight]);
        }
    }
    return sum;
}

void kiln_window4_s8(uint32_t sums[4], const kiln_window *window, const int8_t *input, const int8_t *weights, int32_t first)
{
    uint32_t sum0 = sums[0], sum1 = sums[1], sum2 = sums[2], sum3 = sums[3];
    const int32_t column = window->input_column, tap = window->weight_column, offset = window->input_offset;
    for (int32_t y = 0; y < window->rows; y++) {
        int32_t at = y * window->input_row, weight = first + y * window->weight_row;
        for (int32_t x = window->columns; x > 0; x--, at += column, weight += tap) {
            const int8_t *values = input + at, *taps = weights + weight;
            sum0 += (uint32_t)((values[0] + offset) * taps[0]);
            sum1 += (uint32_t)((values[1] + offset) * taps[1]);
            sum2 += (uint32_t)((values[2] + offset) * taps[2]);
            sum3 += (uint32_t)((values[3] + offset) * taps[3]);
        }
    }
    sums[0] = sum0;
    sums[1] = sum1;
    sums[2] = sum2;
    sums[3] = sum3;
}

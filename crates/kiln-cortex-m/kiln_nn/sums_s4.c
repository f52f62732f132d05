/* Sums of products of int8_t with packed 4-bit weights: the inner loops of layers. */
#include "internal.h"

static inline int32_t low(int8_t byte)
{
    return (int8_t)((uint8_t)byte << 4) >> 4;
}

static inline int32_t high(int8_t byte)
{
    return byte >> 4;
}

static inline int32_t nibble(const int8_t *packed, int32_t index)
{
    int8_t byte = packed[index >> 1];
    return index & 1 ? high(byte) : low(byte);
}

uint32_t kiln_dot_s4(uint32_t sum, const int8_t *x, int32_t length, int32_t offset, const int8_t *weights, int32_t first)
{
    /* A row may begin and end within a byte; whole bytes lie between. */
    if (length > 0 && (first & 1) != 0) {
        sum += (uint32_t)((*x++ + offset) * nibble(weights, first++));
        length--;
    }
    const int8_t *packed = weights + (first >> 1);
    for (; length > 1; length -= 2, x += 2, packed++) {
        sum += (uint32_t)((x[0] + offset) * low(*packed)) + (uint32_t)((x[1] + offset) * high(*packed));
    }
    if (length > 0) {
        sum += (uint32_t)((*x + offset) * low(*packed));
    }
    return sum;
}

void kiln_dot4_s4(uint32_t sums[4], const int8_t *x, int32_t length, int32_t offset, const int8_t *weights, int32_t first,
    int32_t stride)
{
    if ((stride & 1) != 0 || (first & 1) != 0) {
        /* The rows begin at different halves of bytes. */
        for (int32_t row = 0; row < 4; row++, first += stride) {
            sums[row] = kiln_dot_s4(sums[row], x, length, offset, weights, first);
        }
        return;
    }
    uint32_t sum0 = sums[0], sum1 = sums[1], sum2 = sums[2], sum3 = sums[3];
    const int8_t *row0 = weights + (first >> 1), *row1 = row0 + (stride >> 1), *row2 = row1 + (stride >> 1);
    const int8_t *row3 = row2 + (stride >> 1);
    for (; length > 1; length -= 2, x += 2) {
        int32_t even = x[0] + offset, odd = x[1] + offset;
        sum0 += (uint32_t)(even * low(*row0)) + (uint32_t)(odd * high(*row0));
        sum1 += (uint32_t)(even * low(*row1)) + (uint32_t)(odd * high(*row1));
        sum2 += (uint32_t)(even * low(*row2)) + (uint32_t)(odd * high(*row2));
        sum3 += (uint32_t)(even * low(*row3)) + (uint32_t)(odd * high(*row3));
        row0++;
        row1++;
        row2++;
        row3++;
    }
    if (length > 0) {
        int32_t even = *x + offset;
        sum0 += (uint32_t)(even * low(*row0));
        sum1 += (uint32_t)(even * low(*row1));
        sum2 += (uint32_t)(even * low(*row2));
        sum3 += (uint32_t)(even * low(*row3));
    }
    sums[0] = sum0;
    sums[1] = sum1;
    sums[2] = sum2;
    sums[3] = sum3;
}

uint32_t kiln_window_s4(uint32_t sum, const kiln_window *window, const int8_t *input, const int8_t *weights, int32_t first)
{
    for (int32_t y = 0; y < window->rows; y++, first += window->weight_row) {
        int32_t at = y * window->input_row, weight = first;
        for (int32_t x = window->columns; x > 0; x--, at += window->input_column, weight += window->weight_column) {
            sum += (uint32_t)((input[at] + window->input_offset) * nibble(weights, weight));
        }
    }
    return sum;
}

void kiln_window4_s4(uint32_t sums[4], const kiln_window *window, const int8_t *input, const int8_t *weights, int32_t first)
{
    if ((first & 1) != 0 || (window->weight_row & 1) != 0 || (window->weight_column & 1) != 0) {
        /* The channels begin at different halves of bytes. */
        for (int32_t channel = 0; channel < 4; channel++) {
            sums[channel] = kiln_window_s4(sums[channel], window, input + channel, weights, first + channel);
        }
        return;
    }
    uint32_t sum0 = sums[0], sum1 = sums[1], sum2 = sums[2], sum3 = sums[3];
    const int32_t column = window->input_column, tap = window->weight_column >> 1, offset = window->input_offset;
    for (int32_t y = 0; y < window->rows; y++, first += window->weight_row) {
        int32_t at = y * window->input_row, weight = first >> 1;
        for (int32_t x = window->columns; x > 0; x--, at += column, weight += tap) {
            const int8_t *values = input + at, *taps = weights + weight;
            sum0 += (uint32_t)((values[0] + offset) * low(taps[0]));
            sum1 += (uint32_t)((values[1] + offset) * high(taps[0]));
            sum2 += (uint32_t)((values[2] + offset) * low(taps[1]));
            sum3 += (uint32_t)((values[3] + offset) * high(taps[1]));
        }
    }
    sums[0] = sum0;
    sums[1] = sum1;
    sums[2] = sum2;
    sums[3] = sum3;
}

/* Padding of all dimensions. */
#include "strided.h"

/* The element of the input that stands at `place`, or -1 for the value. */
static int32_t source(int32_t place, int32_t size, kiln_pad_mode mode)
{
    if (place >= 0 && place < size) {
        return place;
    }
    switch (mode) {
    case KILN_PAD_REFLECT:
        return place < 0 ? -place : 2 * (size - 1) - place;
    case KILN_PAD_REPLICATE:
        return place < 0 ? 0 : size - 1;
    case KILN_PAD_CIRCULAR:
        return place < 0 ? place + size : place - size;
    case KILN_PAD_CONSTANT:
    default:
        return -1;
    }
}

static bool is_possible(const kiln_padding *p, kiln_pad_mode mode)
{
    for (int32_t i = 0; i < p->rank; i++) {
        int32_t most = kiln_max(p->before[i], p->after[i]), size = p->sizes[i];
        bool reflected = mode != KILN_PAD_REFLECT || most < size;
        bool circular = mode != KILN_PAD_CIRCULAR || most <= size;
        bool empty = mode != KILN_PAD_CONSTANT && size == 0 && most > 0;
        if (p->before[i] + size + p->after[i] < 0 || (most > 0 && !(reflected && circular)) || empty) {
            return false;
        }
    }
    return true;
}

/* Where the row of the output at `place` begins in the input, in elements, or -1 for a row of values. */
static int32_t row_source(const kiln_padding *p, kiln_pad_mode mode, const int32_t *place)
{
    int32_t row = 0;
    for (int32_t i = 0; i < p->rank - 1; i++) {
        int32_t at = source(place[i] - p->before[i], p->sizes[i], mode);
        if (at < 0) {
            return -1;
        }
        row = row * p->sizes[i] + at;
    }
    return row * p->sizes[p->rank - 1];
}

/* One row: what lies before the input, the input, and what lies after it. */
static void pad_row(const kiln_padding *p, kiln_pad_mode mode, const char *value, int32_t element_size, const char *row,
    char *output)
{
    int32_t last = p->rank - 1, size = p->sizes[last], before = p->before[last], total = before + size + p->after[last];
    int32_t middle = kiln_clamp(before, 0, total), end = row == NULL ? middle : kiln_clamp(before + size, middle, total);
    for (int32_t i = 0; i < total; i++) {
        if (i == middle && end > middle) {
            memcpy(output + i * element_size, row + (i - before) * element_size, (size_t)((end - middle) * element_size));
            i = end - 1;
            continue;
        }
        int32_t at = row == NULL ? -1 : source(i - before, size, mode);
        kiln_put(output + i * element_size, at < 0 ? value : row + at * element_size, element_size);
    }
}

arm_cmsis_nn_status kiln_pad(const kiln_padding *padding, kiln_pad_mode mode, const void *value, int32_t element_size,
    const void *input, void *output)
{
    if (!kiln_is_element(element_size) || !is_possible(padding, mode)) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    int32_t sizes[KILN_MAX_RANK], place[KILN_MAX_RANK] = {0}, rank = padding->rank;
    for (int32_t i = 0; i < rank; i++) {
        sizes[i] = padding->before[i] + padding->sizes[i] + padding->after[i];
    }
    char *to = output;
    int32_t rows = kiln_row_count(rank, sizes);
    for (int32_t r = 0; r < rows; r++, to += sizes[rank - 1] * element_size) {
        int32_t first = row_source(padding, mode, place);
        const char *row = first < 0 ? NULL : (const char *)input + (ptrdiff_t)first * element_size;
        pad_row(padding, mode, value, element_size, row, to);
        for (int32_t i = rank - 2; i >= 0 && ++place[i] == sizes[i]; i--) {
            place[i] = 0;
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}

/* Visits the rows (the last dimension) of two tensors by their strides. */
#ifndef KILN_NN_STRIDED_H
#define KILN_NN_STRIDED_H

#include "internal.h"
#include "kiln_ops.h"

/* Where the row begins in the two tensors. */
typedef struct {
    int32_t place[KILN_MAX_RANK];
    int32_t first_1;
    int32_t first_2;
} kiln_row;

static inline int32_t kiln_row_count(int32_t rank, const int32_t *sizes)
{
    int32_t rows = 1;
    for (int32_t i = 0; i < rank - 1; i++) {
        rows *= sizes[i];
    }
    return rows;
}

static inline void kiln_next_row(const kiln_strides *s, kiln_row *row)
{
    for (int32_t i = s->rank - 2; i >= 0; i--) {
        row->first_1 += s->strides_1[i];
        row->first_2 += s->strides_2[i];
        if (++row->place[i] < s->sizes[i]) {
            return;
        }
        row->place[i] = 0;
        row->first_1 -= s->strides_1[i] * s->sizes[i];
        row->first_2 -= s->strides_2[i] * s->sizes[i];
    }
}

/* The body of a kernel of two operands: `result` is an expression in the elements x and y, which are taken as `from`. */
#define KILN_PAIRS(from, to, strides, input_1, input_2, output, result)                                    \
    do {                                                                                                   \
        const kiln_strides *s_ = (strides);                                                                \
        int32_t last_ = s_->rank - 1, rows_ = kiln_row_count(s_->rank, s_->sizes);                         \
        kiln_row row_ = {{0}, 0, 0};                                                                       \
        for (int32_t r_ = 0; r_ < rows_; r_++, kiln_next_row(s_, &row_)) {                                 \
            int32_t at_1_ = row_.first_1, at_2_ = row_.first_2;                                            \
            for (int32_t i_ = 0; i_ < s_->sizes[last_]; i_++) {                                            \
                const from x = (input_1)[at_1_], y = (input_2)[at_2_];                                     \
                *(output)++ = (to)(result);                                                                \
                at_1_ += s_->strides_1[last_];                                                             \
                at_2_ += s_->strides_2[last_];                                                             \
            }                                                                                              \
        }                                                                                                  \
    } while (0)

#define KILN_BROADCAST(type, strides, input_1, input_2, output, result)                                    \
    KILN_PAIRS(int32_t, type, strides, input_1, input_2, output, result)

/* Copies an element; no pointer needs its alignment. */
static inline void kiln_put(void *to, const void *from, int32_t element_size)
{
    if (element_size == 8) {
        memcpy(to, from, 8);
    } else if (element_size == 4) {
        memcpy(to, from, 4);
    } else if (element_size == 2) {
        memcpy(to, from, 2);
    } else {
        memcpy(to, from, 1);
    }
}

static inline bool kiln_is_element(int32_t size)
{
    return size == 1 || size == 2 || size == 4 || size == 8;
}

#endif

/* Products of matrices. Each result is a sum in order, from the bias on. */
#include "float.h"
#include "strided.h"

/* One row of the result; four columns at a time read each element of lhs once. */
static void row_of(const kiln_matrices *m, const float *lhs, const float *rhs, const float *bias, float *output)
{
    int32_t j = 0;
    for (; j + 4 <= m->columns; j += 4, rhs += 4 * m->rhs_column) {
        float sums[4];
        for (int32_t i = 0; i < 4; i++) {
            sums[i] = bias != NULL ? bias[j + i] : 0.0f;
        }
        const float *x = lhs, *y = rhs;
        for (int32_t k = 0; k < m->depth; k++, x += m->lhs_column, y += m->rhs_row) {
            sums[0] += *x * y[0];
            sums[1] += *x * y[m->rhs_column];
            sums[2] += *x * y[2 * m->rhs_column];
            sums[3] += *x * y[3 * m->rhs_column];
        }
        for (int32_t i = 0; i < 4; i++) {
            output[j + i] = kiln_limited(sums[i], m->range.min, m->range.max);
        }
    }
    for (; j < m->columns; j++, rhs += m->rhs_column) {
        float sum = bias != NULL ? bias[j] : 0.0f;
        for (int32_t k = 0; k < m->depth; k++) {
            sum += lhs[k * m->lhs_column] * rhs[k * m->rhs_row];
        }
        output[j] = kiln_limited(sum, m->range.min, m->range.max);
    }
}

void kiln_matmul_f32(const kiln_matrices *matrices, const kiln_strides *batches, const float *lhs, const float *rhs,
    const float *bias, float *output)
{
    int32_t last = batches->rank - 1, rows = kiln_row_count(batches->rank, batches->sizes);
    kiln_row row = {{0}, 0, 0};
    for (int32_t r = 0; r < rows; r++, kiln_next_row(batches, &row)) {
        for (int32_t i = 0; i < batches->sizes[last]; i++) {
            const float *x = lhs + row.first_1 + i * batches->strides_1[last];
            const float *y = rhs + row.first_2 + i * batches->strides_2[last];
            for (int32_t k = 0; k < matrices->rows; k++, x += matrices->lhs_row, output += matrices->columns) {
                row_of(matrices, x, y, bias, output);
            }
        }
    }
}

/* The first elements of each row along the middle axis, in order. */
#include "float.h"

/* Whether x at place i comes before y at place j: NaN counts as the greatest, and equal elements keep their order. */
static bool is_before(float x, int32_t i, float y, int32_t j, bool largest)
{
    bool both = kiln_is_nan(x) && kiln_is_nan(y);
    if (both || x == y) {
        return i < j;
    }
    return (kiln_is_nan(x) || x > y) == largest;
}

void kiln_top_k_f32(const float *input, int32_t outer, int32_t n, int32_t inner, int32_t k, bool largest, float *values,
    int32_t *indices)
{
    for (int32_t i = 0; i < outer * inner; i++) {
        const float *row = input + i / inner * n * inner + i % inner;
        int32_t to = i / inner * k * inner + i % inner, last = -1;
        for (int32_t rank = 0; rank < k; rank++, to += inner) {
            /* The first of those behind the last. */
            int32_t next = -1;
            for (int32_t at = 0; at < n; at++) {
                bool behind = last < 0 || is_before(row[last * inner], last, row[at * inner], at, largest);
                if (behind && (next < 0 || is_before(row[at * inner], at, row[next * inner], next, largest))) {
                    next = at;
                }
            }
            last = next;
            values[to] = row[last * inner];
            indices[to] = last;
        }
    }
}

/* Means of 8-bit integers in their own step. */
#include "float.h"

/* PyTorch adds up floats of a row in 4 vectors of 8, in turn. */
#define LANES 8
#define VECTORS 4

/* The mean of the reals, as PyTorch's floats have it. */
static float real_mean(const kiln_mean *mean, const int8_t *input, int32_t n, int32_t inner)
{
    float sums[VECTORS * LANES] = { 0.0f };
    int32_t whole = n / LANES * LANES, turns = n / (VECTORS * LANES) * (VECTORS * LANES);
    for (int32_t i = 0; i < whole; i++) {
        float real = (float)(input[i * inner] - mean->zero_point) * mean->scale;
        sums[i < turns ? i % (VECTORS * LANES) : i % LANES] += real;
    }
    for (int32_t i = LANES; i < VECTORS * LANES; i++) {
        sums[i % LANES] += sums[i];
    }
    float sum = 0.0f;
    for (int32_t i = whole; i < n; i++) {
        sum += (float)(input[i * inner] - mean->zero_point) * mean->scale;
    }
    for (int32_t i = 0; i < LANES; i++) {
        sum += sums[i];
    }
    return sum / (float)n;
}

static int32_t mean_of(const kiln_mean *mean, const int8_t *input, int32_t n, int32_t inner)
{
    int32_t sum = -n * mean->zero_point;
    for (int32_t i = 0; i < n; i++) {
        sum += input[i * inner];
    }
    kiln_quotient found = kiln_quotient_of(sum, n);
    if (found.twice == n) {
        return found.whole + (kiln_round(real_mean(mean, input, n, inner) * mean->inverse) > (float)found.whole ? 1 : 0);
    }
    return found.whole + (found.twice > n ? 1 : 0);
}

void kiln_mean_s8(const kiln_mean *mean, const int8_t *input, int32_t outer, int32_t n, int32_t inner, int8_t *output)
{
    for (int32_t i = 0; i < outer; i++, input += n * inner) {
        for (int32_t j = 0; j < inner; j++) {
            int32_t result = mean_of(mean, input + j, n, inner) + mean->zero_point;
            *output++ = (int8_t)kiln_clamp(result, mean->activation.min, mean->activation.max);
        }
    }
}

/* Rows brought to a mean of 0 and a variance of 1. */
#include "float.h"

void kiln_norm_f32(const float *input, int32_t rows, int32_t n, float eps, bool centred, const float *weight, const float *bias,
    float *output)
{
    for (int32_t i = 0; i < rows; i++, input += n, output += n) {
        float mean = 0.0f, variance = 0.0f;
        for (int32_t k = 0; centred && k < n; k++) {
            mean += input[k];
        }
        mean /= (float)n;
        for (int32_t k = 0; k < n; k++) {
            float x = input[k] - mean;
            variance += x * x;
        }
        float scale = 1.0f / kiln_sqrt(variance / (float)n + eps);
        for (int32_t k = 0; k < n; k++) {
            float x = (input[k] - mean) * scale;
            x = weight != NULL ? x * weight[k] : x;
            output[k] = bias != NULL ? x + bias[k] : x;
        }
    }
}

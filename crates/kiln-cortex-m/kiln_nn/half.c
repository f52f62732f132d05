/* Floats of 16 bits from and to those of 32, in integers: no core needs instructions for them. */
#include "float.h"

/* A mantissa without its lower bits, halves to even. A carry goes into the exponent, which is right. */
static uint32_t without(uint32_t bits, uint32_t lower)
{
    return (bits + (((uint32_t)1 << (lower - 1)) - 1) + (bits >> lower & 1)) >> lower;
}

static uint32_t f16_to_f32(uint32_t half)
{
    uint32_t sign = (half & 0x8000u) << 16, exponent = half >> 10 & 0x1Fu, mantissa = half & 0x3FFu;
    if (exponent == 0x1Fu) {
        return sign | 0x7F800000u | mantissa << 13 | (mantissa != 0 ? 0x400000u : 0);
    }
    if (exponent != 0) {
        return sign | (exponent + 112) << 23 | mantissa << 13;
    }
    /* Below the normal numbers there is a step of 2^-24, of which a float has every multiple. */
    return sign | kiln_bits((float)mantissa * 5.9604644775390625e-8f);
}

static uint32_t f32_to_f16(uint32_t bits)
{
    uint32_t sign = bits >> 16 & 0x8000u, size = bits & 0x7FFFFFFFu;
    if (size > 0x7F800000u) {
        return sign | 0x7E00u | (size >> 13 & 0x3FFu);
    }
    /* From 2^16 on. */
    if (size >= 0x47800000u) {
        return sign | 0x7C00u;
    }
    /* From 2^-14 on: the exponent has another start. */
    if (size >= 0x38800000u) {
        return sign | without(size - 0x38000000u, 13);
    }
    /* Up to 2^-25, half a step. */
    if (size <= 0x33000000u) {
        return sign;
    }
    return sign | without((size & 0x7FFFFFu) | 0x800000u, 126 - (size >> 23));
}

static uint32_t bf16_to_f32(uint32_t half)
{
    return half << 16 | ((half & 0x7FFFu) > 0x7F80u ? 0x400000u : 0);
}

static uint32_t f32_to_bf16(uint32_t bits)
{
    return (bits & 0x7FFFFFFFu) > 0x7F800000u ? bits >> 16 | 0x40u : without(bits, 16);
}

#define WIDEN(name, function)                                                                                              \
    void name(const uint16_t *input, float *output, int32_t size)                                                         \
    {                                                                                                                      \
        for (int32_t i = 0; i < size; i++) {                                                                               \
            output[i] = kiln_of_bits(function(input[i]));                                                                  \
        }                                                                                                                  \
    }

#define NARROW(name, function)                                                                                             \
    void name(const float *input, uint16_t *output, int32_t size)                                                         \
    {                                                                                                                      \
        for (int32_t i = 0; i < size; i++) {                                                                               \
            output[i] = (uint16_t)function(kiln_bits(input[i]));                                                           \
        }                                                                                                                  \
    }

WIDEN(kiln_f16_to_f32, f16_to_f32)
WIDEN(kiln_bf16_to_f32, bf16_to_f32)
NARROW(kiln_f32_to_f16, f32_to_f16)
NARROW(kiln_f32_to_bf16, f32_to_bf16)

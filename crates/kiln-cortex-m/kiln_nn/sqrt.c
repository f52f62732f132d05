/* Square roots, rounded correctly. */
#include "float.h"

#if defined(__ARM_FP) && (__ARM_FP & 4) != 0 && defined(__GNUC__)

float kiln_sqrt(float x)
{
    float root;
    __asm__("vsqrt.f32 %0, %1" : "=t"(root) : "t"(x));
    return root;
}

#else

float kiln_sqrt(float x)
{
    if (!(x > 0.0f && x < kiln_infinity())) {
        return x < 0.0f ? kiln_nan() : x;
    }
    bool small = x < 1.17549435e-38f;
    uint32_t bits = kiln_bits(small ? x * 16777216.0f : x);
    int32_t exponent = (int32_t)(bits >> 23) - 127 - (small ? 24 : 0);
    uint32_t rest = ((bits & 0x7FFFFFu) | 0x800000u) << ((exponent & 1) + 1);
    /* Bit by bit: 24, and one by which is rounded. */
    uint32_t root = 0, twice = 0;
    for (uint32_t bit = 0x1000000u; bit != 0; bit >>= 1) {
        uint32_t more = twice + bit;
        if (more <= rest) {
            twice = more + bit;
            rest -= more;
            root += bit;
        }
        rest <<= 1;
    }
    root += rest != 0 ? root & 1 : 0;
    return kiln_of_bits((root >> 1) + ((uint32_t)((exponent >> 1) + 126) << 23));
}

#endif

KILN_MAP(kiln_sqrt_f32, kiln_sqrt(x))
KILN_MAP(kiln_rsqrt_f32, 1.0f / kiln_sqrt(x))

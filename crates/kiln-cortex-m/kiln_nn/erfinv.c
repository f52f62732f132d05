/* Inverse error function (Giles, "Approximating the erfinv function"): at most 3 units in the last place off. */
#include "float.h"

static float erfinv(float x)
{
    if (!(kiln_magnitude(x) < 1.0f)) {
        return kiln_magnitude(x) == 1.0f ? kiln_with_sign(kiln_infinity(), x) : kiln_nan();
    }
    float w = -kiln_log((1.0f - x) * (1.0f + x)), p;
    if (w < 5.0f) {
        w -= 2.5f;
        p = 2.81022636e-08f;
        p = p * w + 3.43273939e-07f;
        p = p * w - 3.5233877e-06f;
        p = p * w - 4.39150654e-06f;
        p = p * w + 0.00021858087f;
        p = p * w - 0.00125372503f;
        p = p * w - 0.00417768164f;
        p = p * w + 0.246640727f;
        p = p * w + 1.50140941f;
    } else {
        w = kiln_sqrt(w) - 3.0f;
        p = -0.000200214257f;
        p = p * w + 0.000100950558f;
        p = p * w + 0.00134934322f;
        p = p * w - 0.00367342844f;
        p = p * w + 0.00573950773f;
        p = p * w - 0.0076224613f;
        p = p * w + 0.00943887047f;
        p = p * w + 1.00167406f;
        p = p * w + 2.83297682f;
    }
    return p * x;
}

KILN_MAP(kiln_erfinv_f32, erfinv(x))

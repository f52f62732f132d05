/* Elements of one type as elements of another. */
#include "float.h"

static bool is_float(kiln_type type)
{
    return type == KILN_F32;
}

static int64_t integer_at(const void *input, kiln_type type, int32_t i)
{
    switch (type) {
    case KILN_BOOL:
    case KILN_U8:
        return ((const uint8_t *)input)[i];
    case KILN_S8:
        return ((const int8_t *)input)[i];
    case KILN_S16:
        return ((const int16_t *)input)[i];
    case KILN_S32:
        return ((const int32_t *)input)[i];
    case KILN_S64:
    default:
        return ((const int64_t *)input)[i];
    }
}

/* Toward 0. What is out of range gives the least integer of 64 bits for u8 and s64, and of 32 bits for others. */
static int64_t whole(float x, kiln_type to)
{
    bool wide = to == KILN_U8 || to == KILN_S64;
    float end = wide ? 9223372036854775808.0f : 2147483648.0f;
    if (!(x >= -end && x < end)) {
        return wide ? INT64_MIN : INT32_MIN;
    }
    return (int64_t)x;
}

static void put_integer(int64_t x, void *output, kiln_type type, int32_t i)
{
    switch (type) {
    case KILN_BOOL:
        ((uint8_t *)output)[i] = x != 0;
        break;
    case KILN_U8:
        ((uint8_t *)output)[i] = (uint8_t)x;
        break;
    case KILN_S8:
        ((int8_t *)output)[i] = (int8_t)x;
        break;
    case KILN_S16:
        ((int16_t *)output)[i] = (int16_t)x;
        break;
    case KILN_S32:
        ((int32_t *)output)[i] = (int32_t)x;
        break;
    case KILN_S64:
    default:
        ((int64_t *)output)[i] = x;
    }
}

void kiln_cast(const void *input, kiln_type from, void *output, kiln_type to, int32_t size)
{
    for (int32_t i = 0; i < size; i++) {
        if (is_float(from)) {
            float x = ((const float *)input)[i];
            if (is_float(to)) {
                ((float *)output)[i] = x;
            } else {
                put_integer(to == KILN_BOOL ? x != 0.0f : whole(x, to), output, to, i);
            }
        } else if (is_float(to)) {
            ((float *)output)[i] = (float)integer_at(input, from, i);
        } else {
            put_integer(integer_at(input, from, i), output, to, i);
        }
    }
}

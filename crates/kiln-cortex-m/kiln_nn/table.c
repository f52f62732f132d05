/* Functions of one integer, by tables. */
#include "kiln_ops.h"
#include "table.h"

void kiln_table_s8(const int8_t *table, const int8_t *input, int8_t *output, int32_t size)
{
    for (int32_t i = 0; i < size; i++) {
        output[i] = table[input[i] + 128];
    }
}

void kiln_table_s8_s16(const int16_t *table, const int8_t *input, int16_t *output, int32_t size)
{
    for (int32_t i = 0; i < size; i++) {
        output[i] = table[input[i] + 128];
    }
}

void kiln_table_s16(const int16_t *table, const int16_t *input, int16_t *output, int32_t size)
{
    for (int32_t i = 0; i < size; i++) {
        output[i] = table[input[i] + 32768];
    }
}

void kiln_table_interpolated_s16(const int16_t *table, const int16_t *input, int16_t *output, int32_t size)
{
    for (int32_t i = 0; i < size; i++) {
        output[i] = (int16_t)kiln_interpolated(table, input[i]);
    }
}

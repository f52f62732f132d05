/* The machine is this one: files are those of the C library, and times.bin has the seconds of each run. */
#include "run.h"

#include <stdio.h>
#include <time.h>

static FILE *inputs, *outputs, *times;
static clock_t begun;

int run_open(void)
{
    inputs = fopen("inputs.bin", "rb");
    outputs = fopen("outputs.bin", "wb");
    times = fopen("times.bin", "wb");
    return inputs == NULL || outputs == NULL || times == NULL;
}

int run_read(void *bytes, size_t size)
{
    return fread(bytes, 1, size, inputs) != size;
}

int run_write(const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, outputs) != size;
}

int run_close(void)
{
    return (fclose(outputs) | fclose(times)) != 0;
}

void run_begin(void)
{
    begun = clock();
}

void run_end(void)
{
    double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    fwrite(&seconds, sizeof seconds, 1, times);
}

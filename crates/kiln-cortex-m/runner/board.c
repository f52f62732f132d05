/* The machine is a board of QEMU: files are the host's, and counts.bin has the instructions of the last run. */
#include "../board/board.h"
#include "layers.h"
#include "run.h"

/* Hooks whose instructions are counted to know those of one. */
#define HOOKS 1024u

/* Where each call begins in the last run. The last place is for calls that there are not. */
static uint64_t marks[RUN_LAYERS + 1];
static uint32_t layer;
static uint64_t in_all, hooks;
static int inputs, outputs;

void run_layer(void)
{
    if (layer < RUN_LAYERS) {
        marks[layer++] = board_count();
    }
}

int run_open(void)
{
    inputs = board_open("inputs.bin", 0);
    outputs = board_open("outputs.bin", 1);
    board_count_start();
    for (uint32_t i = 0; i < HOOKS; i++) {
        layer = 0;
        run_layer();
    }
    hooks = board_count_stop();
    return inputs < 0 || outputs < 0;
}

int run_read(void *bytes, size_t size)
{
    return size != 0 && board_read(inputs, bytes, (uint32_t)size) != 0;
}

int run_write(const void *bytes, size_t size)
{
    return size != 0 && board_write(outputs, bytes, (uint32_t)size) != 0;
}

int run_close(void)
{
    board_close(outputs);
    int counts = board_open("counts.bin", 1);
    const uint64_t head[3] = {hooks / HOOKS, in_all, layer};
    int failed = counts < 0 || board_write(counts, head, sizeof head) != 0 || board_write(counts, marks, sizeof marks) != 0;
    board_close(counts);
    return failed;
}

void run_begin(void)
{
    layer = 0;
    board_count_start();
}

void run_end(void)
{
    in_all = board_count_stop();
}

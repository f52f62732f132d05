/* Runs many models, each on inputs of a file. members.h, which Kiln writes, lists them as members[], with MOST_ARENA_BYTES.
 *
 * inputs.bin begins with the number of the first model and with how many follow. For each model there are the number of its runs and
 * the inputs of all runs. outputs.bin has, for each run, the status, and the outputs if it is 0. All numbers have 32 bits. */
#include "member.h"
#include "members.h"
#include "run.h"

/* Exit statuses. */
enum { FILES = 64, MEMORY = 65 };

#ifdef RUN_ON_BOARD
static uint8_t shared[MOST_ARENA_BYTES] __attribute__((aligned(16)));

static uint8_t *arena_of(size_t bytes)
{
    return bytes <= sizeof shared ? shared : NULL;
}

static void leave(uint8_t *arena)
{
    (void)arena;
}
#else
#include <stdlib.h>

/* As many bytes as the model asks for, so that a sanitiser sees what lies beyond. */
static uint8_t *arena_of(size_t bytes)
{
    void *arena = NULL;
    return posix_memalign(&arena, 16, bytes) == 0 ? arena : NULL;
}

static void leave(uint8_t *arena)
{
    free(arena);
}
#endif

static int run_once(const member *model, int32_t status)
{
    for (size_t i = 0; i < model->inputs; i++) {
        if (run_read(model->input(i), model->input_bytes[i]) != 0) {
            return FILES;
        }
    }
    if (status == 0) {
        status = model->invoke();
    }
    if (run_write(&status, sizeof status) != 0) {
        return FILES;
    }
    for (size_t i = 0; status == 0 && i < model->outputs; i++) {
        if (run_write(model->output(i), model->output_bytes[i]) != 0) {
            return FILES;
        }
    }
    return 0;
}

static int run_all(const member *model, uint8_t *arena)
{
    uint32_t runs;
    if (run_read(&runs, sizeof runs) != 0) {
        return FILES;
    }
    for (size_t i = 0; i < model->arena_bytes; i++) {
        arena[i] = 0xA5;
    }
    int32_t status = model->init(arena, model->arena_bytes);
    for (uint32_t run = 0; run < runs; run++) {
        int failed = run_once(model, status);
        if (failed != 0) {
            return failed;
        }
    }
    return 0;
}

int main(void)
{
    uint32_t head[2];
    if (run_open() != 0 || run_read(head, sizeof head) != 0) {
        return FILES;
    }
    for (uint32_t i = head[0]; i < head[0] + head[1]; i++) {
        uint8_t *arena = arena_of(members[i]->arena_bytes);
        if (arena == NULL) {
            return MEMORY;
        }
        int failed = run_all(members[i], arena);
        leave(arena);
        if (failed != 0) {
            return failed;
        }
    }
    return run_close() == 0 ? 0 : FILES;
}

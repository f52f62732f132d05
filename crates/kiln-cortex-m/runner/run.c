/* Runs a model on the inputs of a file. model.h, which Kiln writes, says which: KILN_RUNNER(init), KILN_RUNNER_ARENA_BYTES, and the
 * tables input_bytes, is_updated and output_bytes.
 *
 * inputs.bin begins with three integers of 32 bits: the runs, how often the last is repeated, and whether the arena is filled with
 * garbage first. The inputs of all runs follow, and outputs.bin has their outputs and
 * the inputs that they change. */
#include "model.h"
#include "run.h"

/* Exit statuses. A status of the model is one of these plus its number. */
enum { FILES = 64, INIT = 65, INVOKE = 80 };

static uint8_t arena[KILN_RUNNER_ARENA_BYTES] __attribute__((aligned(16)));

int main(void)
{
    KILN_RUNNER(model) model;
    uint32_t head[3];
    if (run_open() != 0 || run_read(head, sizeof head) != 0) {
        return FILES;
    }
    for (size_t i = 0; head[2] != 0 && i < sizeof arena; i++) {
        arena[i] = 0xA5;
    }
    int status = KILN_RUNNER(init)(&model, arena, sizeof arena);
    if (status != 0) {
        return INIT - status;
    }
    for (uint32_t run = 0; run < head[0]; run++) {
        for (size_t i = 0; i < KILN_RUNNER_INPUTS; i++) {
            if (run_read(KILN_RUNNER(input)(&model, i), input_bytes[i]) != 0) {
                return FILES;
            }
        }
        run_begin();
        status = KILN_RUNNER(invoke)(&model);
        run_end();
        if (status != 0) {
            return INVOKE - status;
        }
        for (size_t i = 0; i < KILN_RUNNER_OUTPUTS; i++) {
            if (run_write(KILN_RUNNER(output)(&model, i), output_bytes[i]) != 0) {
                return FILES;
            }
        }
        for (size_t i = 0; i < KILN_RUNNER_INPUTS; i++) {
            if (is_updated[i] != 0 && run_write(KILN_RUNNER(input)(&model, i), input_bytes[i]) != 0) {
                return FILES;
            }
        }
    }
    for (uint32_t i = 0; i < head[1] && status == 0; i++) {
        run_begin();
        status = KILN_RUNNER(invoke)(&model);
        run_end();
    }
    return run_close() == 0 ? 0 : FILES;
}

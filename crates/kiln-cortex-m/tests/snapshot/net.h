/* net: a model compiled by Kiln for cortex-m4.
 *
 *     static uint8_t arena[NET_ARENA_BYTES] __attribute__((aligned(16)));
 *     net_model model;
 *
 *     net_init(&model, arena, sizeof arena);
 *     write NET_INPUT_0_BYTES bytes to net_input(&model, 0);
 *     net_invoke(&model);
 *     read NET_OUTPUT_0_BYTES bytes from net_output(&model, 0);
 */
#ifndef KILN_MODEL_NET_H
#define KILN_MODEL_NET_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The arena: inputs, outputs, everything between them, and scratch memory. It is aligned to 16 bytes. */
#define NET_ARENA_BYTES 256u

#define NET_INPUT_COUNT 1u

/* x: int8_t [1][4][4][3], the model's axes 0, 2, 3, 1; the real is SCALE * (integer - ZERO_POINT). */
#define NET_INPUT_0_BYTES 48u
#define NET_INPUT_0_ELEMENTS 48u
#define NET_INPUT_0_SCALE 0.007843138f
#define NET_INPUT_0_ZERO_POINT (-128)

#define NET_OUTPUT_COUNT 1u

/* output_0: int8_t [1][4][4][2], the model's axes 0, 2, 3, 1; the real is SCALE * (integer - ZERO_POINT). */
#define NET_OUTPUT_0_BYTES 32u
#define NET_OUTPUT_0_ELEMENTS 32u
#define NET_OUTPUT_0_SCALE 0.1f
#define NET_OUTPUT_0_ZERO_POINT (-128)

/* What a function returns besides 0: a pointer is null, the arena is not aligned or too small, a kernel refuses what a tensor
 * holds. */
#define NET_ERROR_NULL (-1)
#define NET_ERROR_ALIGNMENT (-2)
#define NET_ERROR_SIZE (-3)
#define NET_ERROR_KERNEL (-4)

/* A model on its arena. Several may run at once, each on an arena of its own. */
typedef struct {
    uint8_t *arena;
} net_model;

/* Takes an arena of NET_ARENA_BYTES bytes or more, and sets the state that is kept between runs to what it is at first. */
int net_init(net_model *model, void *arena, size_t bytes);

/* Where to write an input before each run, which may write over it; null if there is none. */
void *net_input(net_model *model, size_t index);

/* Where to read an output, from a run until the next write to an input; null if there is none. */
void *net_output(net_model *model, size_t index);

/* Computes the outputs. Behind an error the outputs are undefined, and so is what is kept between runs, until net_init. */
int net_invoke(net_model *model);

#ifdef __cplusplus
}
#endif

#endif

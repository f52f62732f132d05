/* A model among many in one program. */
#ifndef KILN_MEMBER_H
#define KILN_MEMBER_H

#include <stddef.h>

typedef struct {
    int (*init)(void *arena, size_t bytes);
    void *(*input)(size_t index);
    void *(*output)(size_t index);
    int (*invoke)(void);
    size_t arena_bytes;
    size_t inputs;
    const size_t *input_bytes;
    size_t outputs;
    const size_t *output_bytes;
} member;

#endif

/* What a model's runs need of the machine: files, and the counting of instructions where there is such. */
#ifndef KILN_RUN_H
#define KILN_RUN_H

#include <stddef.h>
#include <stdint.h>

/* Files in the working folder. Each function returns 0, or what is not 0 if it failed. */
int run_open(void);
int run_read(void *bytes, size_t size);
int run_write(const void *bytes, size_t size);
int run_close(void);

/* Around each run of the model, and around those that are only measured. */
void run_begin(void);
void run_end(void);

#endif

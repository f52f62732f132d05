/* What a bare-metal program needs on QEMU's boards for Cortex-M: start-up, and semihosting by which the host prints, opens files and
 * takes the exit status. `main` is called without arguments, and its result is QEMU's exit status. README.md has the recipe. */
#ifndef KILN_BOARD_H
#define KILN_BOARD_H

#include <stdint.h>

void board_print(const char *text);
void board_exit(int status) __attribute__((noreturn));

/* Files of the host, by paths from QEMU's working folder. A handle below 0 means that the file could not be opened. */
int board_open(const char *path, int write);
/* Both return the number of bytes that were *not* moved. */
uint32_t board_read(int file, void *bytes, uint32_t size);
uint32_t board_write(int file, const void *bytes, uint32_t size);
void board_close(int file);

/* Instructions from board_count_start to board_count_stop, if QEMU runs with `-icount shift=0`: exact to one tick of the timer, 31 to
 * 50 instructions. They say nothing of cycles. */
void board_count_start(void);
uint64_t board_count(void); /* so far, without a stop */
uint64_t board_count_stop(void);

#endif

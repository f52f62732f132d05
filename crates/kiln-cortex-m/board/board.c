#include "board.h"

/* By the linker script. */
extern uint32_t board_data_start[], board_data_end[], board_data_image[], board_bss_start[], board_bss_end[], board_stack_top[];

int main(void);
void board_reset(void) __attribute__((noreturn));

static uint32_t semihosting(uint32_t operation, const void *arguments)
{
    register uint32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = arguments;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

void board_print(const char *text)
{
    semihosting(0x04, text); /* SYS_WRITE0 */
}

void board_exit(int status)
{
    /* SYS_EXIT_EXTENDED with ADP_Stopped_ApplicationExit: SYS_EXIT alone cannot pass a status in 32-bit mode. */
    const uint32_t arguments[2] = {0x20026, (uint32_t)status};
    semihosting(0x20, arguments);
    for (;;) {
    }
}

int board_open(const char *path, int write)
{
    uint32_t length = 0;
    while (path[length] != 0) {
        length++;
    }
    const uint32_t arguments[3] = {(uint32_t)path, write ? 5 : 1, length}; /* "wb", "rb" */
    return (int)semihosting(0x01, arguments);
}

uint32_t board_read(int file, void *bytes, uint32_t size)
{
    const uint32_t arguments[3] = {(uint32_t)file, (uint32_t)bytes, size};
    return semihosting(0x06, arguments);
}

uint32_t board_write(int file, const void *bytes, uint32_t size)
{
    const uint32_t arguments[3] = {(uint32_t)file, (uint32_t)bytes, size};
    return semihosting(0x05, arguments);
}

void board_close(int file)
{
    const uint32_t arguments[1] = {(uint32_t)file};
    semihosting(0x02, arguments);
}

static volatile uint32_t *control_register(uint32_t address)
{
    return (volatile uint32_t *)address;
}

#define SYSTICK_CONTROL control_register(0xE000E010)
#define SYSTICK_RELOAD control_register(0xE000E014)
#define SYSTICK_VALUE control_register(0xE000E018)
#define SYSTICK_MASK 0xFFFFFFu

/* Instructions (nanoseconds of virtual time) in four ticks of the processor's clock: 32 MHz on AN547 (Cortex-M55), 20 MHz on AN505
 * (Cortex-M33), 25 MHz on the others. DWT's cycle counter stands still in QEMU. */
#if defined(__ARM_FEATURE_MVE)
#define INSTRUCTIONS_IN_4_TICKS 125
#elif defined(__ARM_ARCH_8M_MAIN__)
#define INSTRUCTIONS_IN_4_TICKS 200
#else
#define INSTRUCTIONS_IN_4_TICKS 160
#endif

static volatile uint32_t systick_wraps;

static void systick(void)
{
    systick_wraps++;
}

void board_count_start(void)
{
    *SYSTICK_CONTROL = 0;
    *SYSTICK_RELOAD = SYSTICK_MASK;
    *SYSTICK_VALUE = 0;
    systick_wraps = 0;
    *SYSTICK_CONTROL = 7; /* processor's clock, interrupt, on */
    /* The value stays 0 until the first tick loads it. */
    while (*SYSTICK_VALUE == 0) {
    }
}

uint64_t board_count(void)
{
    uint32_t wraps, value;
    do {
        wraps = systick_wraps;
        value = *SYSTICK_VALUE;
    } while (wraps != systick_wraps);
    uint64_t ticks = (uint64_t)wraps * (SYSTICK_MASK + 1) + (SYSTICK_MASK - value);
    return ticks * INSTRUCTIONS_IN_4_TICKS / 4;
}

uint64_t board_count_stop(void)
{
    uint64_t instructions = board_count();
    *SYSTICK_CONTROL = 0;
    return instructions;
}

static void print_hexadecimal(const char *label, uint32_t x)
{
    char digits[12] = "0x00000000\n";
    for (int i = 9; i > 1; i--, x >>= 4) {
        digits[i] = "0123456789abcdef"[x & 15];
    }
    board_print(label);
    board_print(digits);
}

/* The status of a program that faulted: no test's exit status is as high. */
static void fault(void)
{
    print_hexadecimal("fault: CFSR ", *control_register(0xE000ED28));
    print_hexadecimal("fault: HFSR ", *control_register(0xE000ED2C));
    board_exit(99);
}

void board_reset(void)
{
    /* The coprocessors 10 and 11, before the first instruction of floating point or MVE. Cores without them ignore it. */
    *control_register(0xE000ED88) |= 0xFu << 20;
    __asm__ volatile("dsb\nisb");
#ifdef BOARD_STRICT_ALIGNMENT
    *control_register(0xE000ED14) |= 1u << 3; /* CCR.UNALIGN_TRP: as Cortex-M0, which has no unaligned access */
    __asm__ volatile("dsb\nisb");
#endif
    for (uint32_t *from = board_data_image, *to = board_data_start; to < board_data_end;) {
        *to++ = *from++;
    }
    for (uint32_t *to = board_bss_start; to < board_bss_end;) {
        *to++ = 0;
    }
    board_exit(main());
}

/* The initial stack pointer and the exceptions 1 to 15: reset, five faults, four reserved, SVC, monitor, reserved, PendSV, SysTick. */
typedef union {
    void *stack;
    void (*handler)(void);
} board_vector;

__attribute__((section(".vectors"), used)) static const board_vector vectors[16] = {
    {board_stack_top},   {.handler = board_reset}, {.handler = fault}, {.handler = fault}, {.handler = fault}, {.handler = fault},
    {.handler = fault},  {.handler = fault},       {0},                {0},                {0},                {.handler = fault},
    {.handler = fault},  {0},                      {.handler = fault}, {.handler = systick},
};

/* Replays calls from the file `trials`: see driver.rs. The result is 0 if all results are as expected. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kiln_ops.h"

/* Input, output and memory of the host or of the board. Memory of exact sizes finds accesses beyond it: by the sanitiser on the host, by
 * bytes behind it on a board. */
#ifdef HOST

static FILE *file;

static void open_file(void) { file = fopen("trials", "rb"); }
static void read_file(void *to, uint32_t size)
{
    if (fread(to, 1, size, file) != size) {
        exit(3);
    }
}
static void print(const char *text) { fputs(text, stdout); }
static unsigned char *allocate(uint32_t size) { return malloc(size > 0 ? size : 1); }
static int release(unsigned char *memory, uint32_t size)
{
    (void)size;
    free(memory);
    return 1;
}
static void begin(void) {}

#else

#include "board.h"

static int file;
static uint64_t heap[3 * 1024 * 1024 / 8];
static uint32_t used;

static void open_file(void) { file = board_open("trials", 0); }
static void read_file(void *to, uint32_t size)
{
    if (board_read(file, to, size) != 0) {
        board_exit(3);
    }
}
static void print(const char *text) { board_print(text); }
#define GUARD 16u
static unsigned char *allocate(uint32_t size)
{
    unsigned char *memory = (unsigned char *)heap + used;
    used += (size + GUARD + 7u) & ~7u;
    if (used > sizeof heap) {
        board_exit(4);
    }
    memset(memory + size, 0x5A, GUARD);
    return memory;
}
static int release(unsigned char *memory, uint32_t size)
{
    for (uint32_t i = 0; i < GUARD; i++) {
        if (memory[size + i] != 0x5A) {
            return 0;
        }
    }
    return 1;
}
static void begin(void) { used = 0; }

#endif

typedef struct {
    int32_t (*call)(void);
    const char *name;
    uint32_t calls, results, wrong;
} stub;

typedef struct {
    unsigned char *memory, *start;
    uint32_t size, element, first, kind, allocated;
    const unsigned char *after;
} held;

static uint32_t record[768 * 1024 / 4], *next;
static held slots[64];
static uint32_t arrays;
static int32_t *array_memory[8];

static int32_t number(void)
{
    return (int32_t)*next++;
}

static float real(void)
{
    float x;
    memcpy(&x, next++, 4);
    return x;
}

static void list(int32_t *to)
{
    uint32_t count = *next++;
    memcpy(to, next, 4 * count);
    next += count;
}

static int32_t *array(void)
{
    uint32_t count = *next++;
    int32_t *to = (int32_t *)(void *)allocate(4 * count);
    memcpy(to, next, 4 * count);
    next += count;
    array_memory[arrays++] = to;
    return to;
}

static void *slot(int place)
{
    return slots[place].start;
}

static const unsigned char *bytes(uint32_t size)
{
    const unsigned char *from = (const unsigned char *)next;
    next += (size + 3) / 4;
    return from;
}

/* Memory as a slot needs it, with bytes at odd addresses. */
static void take_slot(held *h)
{
    memset(h, 0, sizeof *h);
    h->size = *next++;
    if (h->size == UINT32_MAX) {
        return;
    }
    if (h->size == UINT32_MAX - 1) {
        *h = slots[*next++];
        h->memory = NULL;
        h->kind = *next++;
        h->after = h->kind > 0 ? bytes(h->size) : NULL;
        return;
    }
    h->element = *next++;
    h->first = *next++;
    h->kind = *next++;
    uint32_t skew = h->element == 1 ? 1 : 0;
    h->allocated = h->size + skew;
    h->memory = allocate(h->allocated);
    memcpy(h->memory + skew, bytes(h->size), h->size);
    h->start = h->memory + skew + h->first;
    h->after = h->kind > 0 ? bytes(h->size) : NULL;
}

static int is_nan(const unsigned char *bytes)
{
    uint32_t bits;
    memcpy(&bits, bytes, 4);
    return (bits & 0x7FFFFFFFu) > 0x7F800000u;
}

static void say_wrong(uint32_t trial, const char *name, uint32_t place, uint32_t element, const unsigned char *found,
    const unsigned char *expected)
{
    char line[160];
    uint32_t a = 0, b = 0;
    memcpy(&a, found, 4);
    memcpy(&b, expected, 4);
    snprintf(line, sizeof line, "wrong: trial %u, %s, slot %u, element %u: 0x%08x, not 0x%08x\n", (unsigned)trial, name,
        (unsigned)place, (unsigned)element, (unsigned)a, (unsigned)b);
    print(line);
}

static void compare(stub *s, uint32_t trial, uint32_t place, const held *h)
{
    uint32_t element = h->kind == 2 ? 4 : h->element, wrong = 0;
    const unsigned char *found = h->start - h->first;
    for (uint32_t i = 0; i < h->size; i += element) {
        int same = memcmp(found + i, h->after + i, element) == 0;
        if (!same && !(h->kind == 2 && is_nan(found + i) && is_nan(h->after + i))) {
            unsigned char a[8] = {0}, b[8] = {0};
            memcpy(a, found + i, element);
            memcpy(b, h->after + i, element);
            if (wrong++ == 0 && s->wrong < 4) {
                say_wrong(trial, s->name, place, i / element, a, b);
            }
        }
    }
    s->results += h->size / element;
    s->wrong += wrong;
}

/* stubs */

static void replay(uint32_t trial)
{
    uint32_t size, count;
    read_file(&size, 4);
    if (size > sizeof record) {
        print("a record is too large\n");
        exit(5);
    }
    read_file(record, size);
    next = record;
    stub *s = &stubs[*next++];
    int32_t status = number();
    count = *next++;
    arrays = 0;
    begin();
    for (uint32_t i = 0; i < count; i++) {
        take_slot(&slots[i]);
    }
    s->calls++;
    if (s->call() != status) {
        char line[120];
        snprintf(line, sizeof line, "wrong: trial %u, %s: not the status %d\n", (unsigned)trial, s->name, (int)status);
        print(line);
        s->wrong++;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (slots[i].after != NULL) {
            compare(s, trial, i, &slots[i]);
        }
    }
    for (uint32_t i = 0; i < arrays; i++) {
#ifdef HOST
        free(array_memory[i]);
#endif
    }
    for (uint32_t i = 0; i < count; i++) {
        if (slots[i].memory != NULL && !release(slots[i].memory, slots[i].allocated)) {
            print("wrong: written beyond a buffer: ");
            print(s->name);
            print("\n");
            s->wrong++;
        }
    }
}

int main(void)
{
    uint32_t count, wrong = 0;
    open_file();
    read_file(&count, 4);
    for (uint32_t i = 0; i < count; i++) {
        replay(i);
    }
    for (uint32_t i = 0; i < sizeof stubs / sizeof *stubs; i++) {
        char line[120];
        snprintf(line, sizeof line, "%s %u %u %u\n", stubs[i].name, (unsigned)stubs[i].calls, (unsigned)stubs[i].results,
            (unsigned)stubs[i].wrong);
        print(line);
        wrong += stubs[i].wrong;
    }
    return wrong != 0;
}

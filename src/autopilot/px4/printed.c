// printed.c - see printed.h. The stream is made once and stays: a thread of a library may still be
// printing when the last buffer is closed.
#define _GNU_SOURCE
#include "autopilot/px4/printed.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t opened;
static FILE *ours, *before;
static _Thread_local tac__printed *current; // of this thread; NULL: its text is not caught

static ssize_t take(void *cookie, const char *text, size_t size)
{
    (void)cookie;
    tac__printed *p = current;
    if (!p)
        return (ssize_t)fwrite(text, 1, size, before);
    const size_t room = sizeof p->bytes - p->used;
    const size_t n = size < room ? size : room;
    memcpy(p->bytes + p->used, text, n);
    p->used += n;
    p->dropped += size - n;
    return (ssize_t)size;
}

// Unbuffered, so that text is seen by the thread that prints it.
static bool make(void)
{
    if (ours)
        return true;
    ours = fopencookie(NULL, "w", (cookie_io_functions_t){.write = take});
    return ours && setvbuf(ours, NULL, _IONBF, 0) == 0;
}

tac_status tac__printed_open(tac__printed *p, tac_error *err)
{
    pthread_mutex_lock(&lock);
    const bool made = make();
    if (made && opened++ == 0) {
        before = stdout;
        stdout = ours;
    }
    pthread_mutex_unlock(&lock);
    p->open = made;
    return made ? TAC_OK : tac__fail_memory(err);
}

void tac__printed_close(tac__printed *p)
{
    if (!p->open)
        return;
    p->open = false;
    pthread_mutex_lock(&lock);
    if (--opened == 0)
        stdout = before;
    pthread_mutex_unlock(&lock);
}

void tac__printed_begin(tac__printed *p)
{
    current = p;
}

void tac__printed_end(void)
{
    current = NULL;
}

// --- lines --------------------------------------------------------------------------------------

// The end of a sequence that begins with ESC: "\033[33m".
static const char *skip_sequence(const char *at, const char *end)
{
    if (at + 1 < end && at[1] == '[') {
        at += 2;
        while (at < end && (unsigned char)*at < 0x40)
            at++;
    }
    return at < end ? at + 1 : end;
}

bool tac__printed_take(tac__printed *p, bool all, char line[TAC__PRINTED_LINE])
{
    const char *newline = memchr(p->bytes, '\n', p->used);
    // A full buffer will not hold the end of its last line.
    all |= p->dropped > 0 || p->used == sizeof p->bytes;
    if (!newline && !(all && p->used))
        return false;
    const char *const end = newline ? newline : p->bytes + p->used;
    size_t n = 0;
    for (const char *at = p->bytes; at < end;) {
        if (*at == '\033') {
            at = skip_sequence(at, end);
            continue;
        }
        if (((unsigned char)*at >= ' ' || *at == '\t') && n + 1 < TAC__PRINTED_LINE)
            line[n++] = *at == '\t' ? ' ' : *at;
        at++;
    }
    while (n && line[n - 1] == ' ')
        n--;
    line[n] = '\0';
    const size_t taken = (size_t)(end - p->bytes) + (newline != NULL);
    p->used -= taken;
    memmove(p->bytes, p->bytes + taken, p->used);
    if (p->used == 0)
        p->dropped = 0;
    return true;
}

// A library to be preloaded: the n-th request for memory of the program fails, and with
// STARVE_AFTER all later ones too. STARVE_COUNT names a file for the number of requests.
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_ulong requests;
static unsigned long fail_at; // 0: none
static int fail_after, counting;

__attribute__((constructor)) static void begin(void)
{
    const char *n = getenv("STARVE_AT");
    fail_at = n ? strtoul(n, NULL, 10) : 0;
    fail_after = getenv("STARVE_AFTER") != NULL;
    counting = 1;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("STARVE_COUNT");
    const unsigned long count = requests;
    counting = 0;
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%lu\n", count);
        fclose(file);
    }
}

static int refused(void)
{
    const unsigned long n = counting ? atomic_fetch_add(&requests, 1) + 1 : 0;
    const int refuse = n && fail_at && (fail_after ? n >= fail_at : n == fail_at);
    if (refuse)
        errno = ENOMEM;
    return refuse;
}

void *malloc(size_t size)
{
    return refused() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return refused() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return refused() ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return refused() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    *block = refused() ? NULL : __libc_memalign(alignment, size);
    return *block ? 0 : ENOMEM;
}

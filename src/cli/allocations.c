// allocations.c - what the program's allocations do when memory runs out.
//
// In a helper (helper.h) an allocation that fails ends the process, whoever asked for the memory:
// libraries look up malloc in the program first. Elsewhere the functions here only pass on what the
// C library gives. Sanitizers have functions of their own; in their builds nothing is replaced.
#define _GNU_SOURCE // RTLD_NEXT
#include "cli/helper.h"

#include <stdatomic.h>

static atomic_bool must;

void cli_allocations_must_succeed(void)
{
    atomic_store(&must, true);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#endif

#if !defined(SANITIZED) && defined(__GLIBC__)

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// glibc's own, for the moment in which the next ones are looked up.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static struct {
    void *(*malloc)(size_t size);
    void *(*calloc)(size_t count, size_t size);
    void *(*realloc)(void *memory, size_t size);
    void *(*memalign)(size_t alignment, size_t size);
} next = {__libc_malloc, __libc_calloc, __libc_realloc, __libc_memalign};

static void find(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (found)
        memcpy(function, &found, sizeof found); // ISO C has no cast from data to functions
}

// Libraries may stand between the program and the C library. Nothing runs beside this yet.
__attribute__((constructor)) static void find_next(void)
{
    find("malloc", &next.malloc);
    find("calloc", &next.calloc);
    find("realloc", &next.realloc);
    find("memalign", &next.memalign);
}

static void *checked(void *memory, size_t size)
{
    if (!memory && size && atomic_load_explicit(&must, memory_order_relaxed))
        _exit(CLI_HELPER_STARVED);
    return memory;
}

TAC_API void *malloc(size_t size)
{
    return checked(next.malloc(size), size);
}

TAC_API void *calloc(size_t count, size_t size)
{
    return checked(next.calloc(count, size), count && size);
}

TAC_API void *realloc(void *memory, size_t size)
{
    return checked(next.realloc(memory, size), size);
}

TAC_API void *memalign(size_t alignment, size_t size)
{
    return checked(next.memalign(alignment, size), size);
}

TAC_API void *aligned_alloc(size_t alignment, size_t size)
{
    return checked(next.memalign(alignment, size), size);
}

TAC_API int posix_memalign(void **memory, size_t alignment, size_t size)
{
    void *found = checked(next.memalign(alignment, size), size);
    if (!found)
        return ENOMEM;
    *memory = found;
    return 0;
}

#endif

// memory.h - the allocation hook.
//
// Every byte that Tactus allocates comes through a tac_allocator. The default is malloc's family;
// without an allocator of the caller's own, large blocks are pages of the system.
// All allocation happens while a simulation is set up: a step allocates nothing.
#ifndef TACTUS_MEMORY_H
#define TACTUS_MEMORY_H

#include <stddef.h>
#include <tactus/api.h>

typedef struct tac_allocator {
    // As realloc: `old` may be NULL, `size` 0 frees and returns NULL. NULL otherwise is failure.
    void *(*resize)(void *context, void *old, size_t old_size, size_t size);
    void *context;
} tac_allocator;

TAC_BEGIN_DECLS

TAC_API const tac_allocator *tac_allocator_default(void);

TAC_END_DECLS
#endif

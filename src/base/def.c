// def.c - see def.h.
#include "base/def.h"
#include "base/error.h"

#include <string.h>

// A definition has at least a size and a first field; none of any version comes near the upper
// bound, so that a size which was never set is found before memory behind the struct is read.
enum { LEAST = 16, MOST = 4096 };

tac_status tac__def_copy(const char *name, void *ours, size_t size, const void *theirs,
                         uint32_t their_size, tac_error *err)
{
    memset(ours, 0, size);
    if (their_size < LEAST || their_size > MOST)
        return tac__fail(err, TAC_E_ABI,
                         "a %s has no size: begin with %s_default(), or set its size to sizeof(%s)",
                         name, name, name);
    memcpy(ours, theirs, their_size < size ? their_size : size);
    const unsigned char *bytes = theirs;
    for (size_t i = size; i < their_size; i++) {
        if (bytes[i])
            return tac__fail(err, TAC_E_ABI,
                             "a %s uses a field that this version of Tactus does not have: it has "
                             "%u bytes, here %zu; update Tactus, or build against its headers",
                             name, their_size, size);
    }
    return TAC_OK;
}

tac_status tac__def_take(const char *name, void *ours, size_t size, const void *theirs,
                         tac_error *err)
{
    uint32_t their_size;
    memcpy(&their_size, theirs, sizeof their_size);
    const tac_status status = tac__def_copy(name, ours, size, theirs, their_size, err);
    const uint32_t our_size = (uint32_t)size;
    memcpy(ours, &our_size, sizeof our_size);
    return status;
}

void tac__def_give(void *theirs, size_t their_size, const void *ours, size_t size)
{
    memset(theirs, 0, their_size);
    memcpy(theirs, ours, their_size < size ? their_size : size);
}

void tac__def_give_sized(void *theirs, size_t their_size, const void *ours, size_t size)
{
    tac__def_give(theirs, their_size, ours, size);
    const uint32_t written = (uint32_t)their_size;
    memcpy(theirs, &written, sizeof written);
}

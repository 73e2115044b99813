// lcm_library.c - loading liblcm.
#include "federation/lcm_library.h"

#ifndef TACTUS_HAVE_LCM

tac_status tac__lcm_library_load(const tac__lcm_library **library, tac_error *err)
{
    *library = NULL;
    return tac__fail(err, TAC_E_FILE,
                     "this build of Tactus has no LCM: install liblcm-dev and build again");
}

#else

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static tac__lcm_library loaded;
static tac_error failure; // its status is TAC_OK where all went well

// ISO C has no conversion from a pointer to a function's.
static bool find(void *handle, const char *name, void *function)
{
    void *found = dlsym(handle, name);
    if (found)
        memcpy(function, &found, sizeof found);
    else
        (void)tac__fail(&failure, TAC_E_FILE, "liblcm.so.1 has no function %s", name);
    return found != NULL;
}

static void load(void)
{
    tac_error_clear(&failure);
    // GLib cannot be unloaded: it keeps memory of its own and of each thread.
    void *handle = dlopen("liblcm.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) {
        const char *why = dlerror();
        (void)tac__fail(&failure, TAC_E_FILE,
                        "LCM is needed here, and its library cannot be loaded: %s (Debian: package "
                        "liblcm1)",
                        why ? why : "liblcm.so.1");
        return;
    }
#define FIND(name, result, arguments) &&find(handle, "lcm_" #name, &loaded.name)
    (void)(true TAC__LCM_FUNCTIONS(FIND));
#undef FIND
}

tac_status tac__lcm_library_load(const tac__lcm_library **library, tac_error *err)
{
    pthread_once(&once, load);
    *library = failure.status == TAC_OK ? &loaded : NULL;
    if (failure.status != TAC_OK && err)
        *err = failure;
    return failure.status;
}

#endif

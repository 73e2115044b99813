// lcm_library.h - liblcm, loaded when it is first needed. Loading it takes 0.6 ms of the processor
// or more, beside 4.8 ms for the whole of `tactus --version`; runs without LCM do without that, and
// a machine without liblcm runs everything else.
//
// An application that is linked with liblcm shares it with Tactus: there is one copy in a process.
#ifndef TAC_FEDERATION_LCM_LIBRARY_H
#define TAC_FEDERATION_LCM_LIBRARY_H

#include "base/error.h"

#ifdef TACTUS_HAVE_LCM

#include <lcm/lcm.h>

// Functions that are used here: (name of the function without lcm_, result, arguments).
#define TAC__LCM_FUNCTIONS(X)                                                                      \
    X(create, lcm_t *, (const char *provider))                                                     \
    X(destroy, void, (lcm_t *))                                                                    \
    X(publish, int, (lcm_t *, const char *channel, const void *data, unsigned int size))           \
    X(subscribe, lcm_subscription_t *,                                                             \
      (lcm_t *, const char *channel, lcm_msg_handler_t handler, void *context))                    \
    X(subscription_set_queue_capacity, int, (lcm_subscription_t *, int messages))                  \
    X(handle_timeout, int, (lcm_t *, int ms))

typedef struct tac__lcm_library {
#define TAC__LCM_MEMBER(name, result, arguments) result(*name) arguments;
    TAC__LCM_FUNCTIONS(TAC__LCM_MEMBER)
#undef TAC__LCM_MEMBER
} tac__lcm_library;

#else

typedef struct tac__lcm_library tac__lcm_library;

#endif

// The library, loaded by the first call; it stays until the process ends. Any thread may call this.
// TAC_E_FILE: it is not installed, or this build was made without its header.
TAC_MUST_CHECK tac_status tac__lcm_library_load(const tac__lcm_library **library, tac_error *err);

#endif

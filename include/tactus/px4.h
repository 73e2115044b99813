// px4.h - examining a PX4 library: whether it can be flown, and with which messages.
#ifndef TACTUS_PX4_H
#define TACTUS_PX4_H

#include <tactus/engine.h>

typedef struct tac_px4_probe_def {
    uint32_t size;             // sizeof(tac_px4_probe_def)
    bool fields;               // also list the fields of each topic
    const char *library;       // NULL: what the environment variable PX4_LOCKSTEP_LIB names
    const char *msg_dir;       // folder of .msg files; NULL: the messages that are built in
    const char *const *topics; // topics to compare; none: all built-in messages
    size_t topic_count;
    tac_hang_fn *hang; // told of a call that does not return; may be NULL
    void *hang_context;
} tac_px4_probe_def;

static inline tac_px4_probe_def tac_px4_probe_def_default(void)
{
    tac_px4_probe_def def = TAC_ZERO;
    def.size = sizeof def;
    return def;
}

TAC_BEGIN_DECLS

// Open the library as a run does, do its handshake, and compare every topic with the library's own
// metadata. The text, as a table or as JSON, is to be freed with tac_text_free; there is one as
// soon as the library could be opened. `*fits`: all topics have the same size and hash in both.
TAC_API TAC_MUST_CHECK tac_status tac_px4_probe(const tac_px4_probe_def *def, tac_format format,
                                                char **text, bool *fits, tac_error *err);

TAC_END_DECLS
#endif

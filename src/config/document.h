// document.h - the entry of this room: a configuration file in, one tree out.
//
// The order is: read the file; resolve `extends`; apply `--set` arguments; resolve what `extends`
// those brought. Variables (${NAME}) are not expanded yet, except in the names of files: the
// caller first makes entities from templates, each with variables of its own, and then calls
// tac__expand on the root.
#ifndef TAC_CONFIG_DOCUMENT_H
#define TAC_CONFIG_DOCUMENT_H

#include "config/merge.h"

typedef struct tac__load_def {
    const tac_allocator *allocator; // NULL: the default
    const char *const *sets;        // "path=value", in order
    size_t set_count;
    tac__extends_def extends;
    // Called with what was read, before any `extends` in it is followed; NULL: not called.
    void (*clean)(void *context, tac_node *root);
    void *clean_context;
} tac__load_def;

// No overrides, files from the file system, variables from the environment.
tac__load_def tac__load_def_default(void);

// On success the caller owns *doc; its root is a map. On failure there is no document.
TAC_MUST_CHECK tac_status tac__document_load(const char *path, const tac__load_def *def,
                                             tac_document **doc, tac_error *err);

// The same from memory; `name` stands for the file in places, and `extends` is relative to it.
TAC_MUST_CHECK tac_status tac__document_parse(const char *name, const char *bytes, size_t length,
                                              const tac__load_def *def, tac_document **doc,
                                              tac_error *err);

#endif

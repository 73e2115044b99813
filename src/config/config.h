// config.h - a configuration from the inside.
#ifndef TAC_CONFIG_CONFIG_H
#define TAC_CONFIG_CONFIG_H

#include "base/arena.h"
#include "config/merge.h"
#include <tactus/config.h>

struct tac_config {
    const tac_allocator *allocator;
    tac_registry *registry;
    tac_document *doc; // checked against tac__format; entities made, variables expanded
    tac__variables variables;
    bool untrusted;             // data of others
    const char *ignored_plugin; // the first one that it names in vain; NULL: none
    const char *closed_folder;  // no plugin from below it
    char file_name[TAC_ERROR_NAME];
    const char **extended; // names of the files that it extends; in `arena`
    size_t extended_count, extended_capacity;
    tac__arena arena;
};

// --- emit.c ---
// The configuration as text, with the files that it names: into the document's memory.
tac_status tac__config_embed(tac_config *config, tac_recorder_def *def, tac_error *err);

// --- phases.c: phases become components ---
tac_status tac__place_phases(tac_config *config, tac_error *err);

// --- autopilot.c: what is common to all autopilots becomes theirs ---
tac_status tac__place_autopilot(tac_config *config, tac_error *err);

#endif

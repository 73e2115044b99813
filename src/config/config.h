// config.h - the inside of a configuration.
#ifndef TAC_CONFIG_CONFIG_H
#define TAC_CONFIG_CONFIG_H

#include "base/arena.h"
#include "config/merge.h"
#include "verdict/verdict.h"
#include <tactus/config.h>

// Limits of what a file may ask for; docs/configuration.md lists them. Each is far above what was
// seen to be useful, and keeps a short file from taking gigabytes or minutes.
enum {
    TAC__CONFIG_COMPONENTS = 250000,   // of all entities; 50,000 quadrotors have as many
    TAC__CONFIG_VALUES = 5000000,      // as if templates were written out
    TAC__CONFIG_EXPECTATIONS = 100000, // one for each entity that an expectation names
};

typedef struct tac__federation tac__federation; // see federation.h

typedef struct tac__lcm_group_node {
    tac_lcm_group_info info;
    const tac_node *list; // of names; NULL in a part
} tac__lcm_group_node;

struct tac_config {
    const tac_allocator *allocator;
    tac_registry *registry;
    tac_document *doc; // checked against tac__format; entities made, variables expanded
    tac__variables variables;
    bool untrusted;             // data from elsewhere: see tac_config_def
    const char *ignored_plugin; // the first plugin that was not loaded for that; NULL: none
    const char *closed_folder;  // no plugin is loaded from below it
    char file_name[TAC_ERROR_NAME];
    const char **extended; // names of the files that it extends; in `arena`
    size_t extended_count;
    TAC__CAPACITY(const char *) extended_capacity;
    tac__arena arena;
    tac_mistake_fn *mistake; // see tac_config_def
    void *mistake_context;
    tac__federation *federation; // NULL: not read yet; in `arena`
    tac__lcm_group_node *groups; // of processes; in `arena`
    size_t group_count;
    TAC__CAPACITY(tac__lcm_group_node) group_capacity;
};

// --- config.c: entities, NULL if there are none ---
const char *tac__entity_name(const void *entities, size_t i); // NULL: there are no more
// No entity matches this pattern; perhaps one was meant.
tac_status tac__fail_entity(const tac_node *pattern, const tac_node *entities, tac_error *err);

// Fails if the document is too large to go on; `place` is the place of what made it so.
tac_status tac__config_check_size(const tac_config *config, const tac_place *place, tac_error *err);

// --- emit.c ---
// The configuration as text, and the files that it names; memory of the document.
tac_status tac__config_embed(tac_config *config, tac_recorder_def *def, tac_error *err);

// --- events.c: events become parameters of the components that take them ---
tac_status tac__place_events(tac_config *config, tac_error *err);

// --- phases.c: phases become components ---
tac_status tac__place_phases(tac_config *config, tac_error *err);

// --- link.c: one entry of `links` ---
tac_status tac__config_add_link(tac_engine *engine, const tac_node *link, tac__arena *arena,
                                tac_error *err);
// The law of an entry, checked, from its keys delay, loss, duplicate and down. Without the key its
// delay is that of `fallback`; NULL: the key must be there.
tac_status tac__config_law(const tac_node *link, const tac_link_law *fallback, tac__arena *arena,
                           tac_link_law *law, tac_error *err);

// --- expect.c: expectations, one for each entity that they name ---
typedef struct tac__expectations {
    tac_config *config;
    tac__expect_def *items;
    const tac_node **nodes; // the item of `expect` that each comes from
    size_t count;
    TAC__CAPACITY(tac__expect_def) capacity;
    TAC__CAPACITY(const tac_node *) node_capacity;
} tac__expectations;
tac_status tac__config_expectations(tac_config *config, tac__expectations *list, tac_error *err);

// --- solve.c: the section `initial` ---
tac_status tac__config_set_initials(tac_engine *engine, const tac_node *initial, tac__arena *arena,
                                    tac_error *err);

// --- autopilot.c: settings common to all autopilots become their parameters ---
tac_status tac__place_autopilot(tac_config *config, tac_error *err);

#endif

// declare.h - an instance being declared: what functions that declare and that read parameters
// share.
//
// The first mistake is kept and reported when `declare` returns; after it, parameters read as their
// fallback or zero so that declaring can go on. Without an engine (to list what a type has) every
// parameter reads as its fallback.
#ifndef TAC_ENGINE_PLAN_DECLARE_H
#define TAC_ENGINE_PLAN_DECLARE_H

#include "engine/plan/plan.h"

// Where parameters are read from: all parameters of the component, or a map inside them.
typedef struct tac__scope {
    const tac_node *map; // NULL: nothing is given
    bool *used;          // per key of the map
    const char *prefix;  // of names in listings: "rotors[2]."
    bool peer;           // parameters of another component: not listed, and keys may stay unused
    const char *owner;   // the component whose parameters these are
} tac__scope;

enum { TAC__SCOPES_MAX = 8 };

struct tac_declare {
    tac__plan *plan;   // NULL: only to learn what the type has
    tac__arena *arena; // for what the component keeps
    tac__arena *meta;  // for what describes it: ports, parameters; see share.h
    tac__component *instance;
    tac__param *params; // parameters of the instance so far, and their values
    const char **values;
    TAC__CAPACITY(tac__param) param_capacity;
    TAC__CAPACITY(const char *) value_capacity;
    uint32_t entity;
    struct tac__terms *symbols; // numbers.c: parameters are terms of this pool; NULL: numbers
    const char *read;           // the parameter that was read last
    tac__scope scopes[TAC__SCOPES_MAX];
    size_t depth; // of the present scope
    tac_error error;
    bool failed;
    bool no_memory; // reported even where mistakes are ignored
    bool unknown;   // the mistake is a key that does not exist
    size_t told;    // mistakes that tac__declare_tell has reported
};

// Run a type's declare function on a fresh component; also without a plan, to learn what a type
// has.
tac_status tac__declare(tac__plan *plan, tac__arena *arena, const tac_component_type *type,
                        const char *name, uint32_t entity, const tac_node *params,
                        const tac_place *place, tac__component **instance, tac_error *err);

static inline tac__scope *tac__scope_of(tac_declare *d)
{
    return &d->scopes[d->depth];
}

// Remember a mistake, unless there is one already.
void tac__declare_keep(tac_declare *d, const tac_error *err);
// Report a mistake after the first one to tac_engine_def.mistake; the first is returned by the call
// that adds the component. At most TAC_MISTAKES_MAX of a component are reported.
void tac__declare_tell(tac_declare *d, const tac_error *err);
void tac__declare_no_memory(tac_declare *d);
// Note that the component needs a neighbor, the first `length` characters of `name`, that the plan
// does not have: see tac__lack.
void tac__declare_lacks(tac_declare *d, const char *name, size_t length);

// Copy an author's definition with all fields (base/def.h). A wrong definition is kept as a
// mistake.
void tac__declare_take(tac_declare *d, const char *name, void *ours, size_t size,
                       const void *theirs);

// Texts of definitions may lie in a buffer of the author's: keep a copy. NULL stays NULL.
const char *tac__declare_text(tac_declare *d, const char *text);
// The same for texts that the component keeps.
const char *tac__declare_own_text(tac_declare *d, const char *text);

// --- scopes.c ---
// Begin to read from `map`, and end: a key that was not read is a mistake.
void tac__scope_begin(tac_declare *d, const tac_node *map, const char *prefix, bool peer,
                      const char *owner);
void tac__scope_end(tac_declare *d);

// --- mistakes.c ---
// The place of a parameter in the present map; where it is absent, of the map, or else of the
// component.
const tac_place *tac__param_place(const tac_declare *d, const char *param);

// The place of `part` inside the text of a parameter, plus `further` characters; the place of the
// parameter where the line in the file does not show the part (a text with escapes). `excerpt` may
// get the line of that place.
tac_place tac__place_inside(const tac_declare *d, const char *param, const char *part,
                            uint32_t further, char excerpt[TAC_ERROR_NAME]);

#endif

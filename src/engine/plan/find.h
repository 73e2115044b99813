// find.h - finds parts of a plan by name.
#ifndef TAC_ENGINE_PLAN_FIND_H
#define TAC_ENGINE_PLAN_FIND_H

#include "engine/plan/plan.h"

tac__component *tac__find_component(const tac__plan *plan, const char *name); // NULL: unknown
tac__candidate_fn tac__component_name; // for suggestions: context is the plan
int tac__find_signal(const tac__plan *plan, const char *name); // -1: unknown
// A parameter by its path, as in listings: "rotors[2].position". NULL: it is not given.
const tac_node *tac__param_find(const tac_node *params, const char *path);
// The input that a route leads to.
tac_status tac__find_input(const tac__plan *plan, const tac_route_def *route,
                           tac__component **reader, size_t *input, tac_error *err);
// The signal that a route comes from, and its first element that is seen; `*part`: only this one
// is.
tac_status tac__find_source(const tac__plan *plan, const tac__component *reader,
                            const tac_route_def *route, int *signal, uint32_t *element, bool *part,
                            tac_error *err);
// The signal of a single element by its name, as `reader` would write it; -1: there is none.
int tac__find_element(const tac__plan *plan, const tac__component *reader, const char *text,
                      uint32_t *element);
// A continuous state of the component's entity, or an element of one, as it would be written there;
// -1: there is none. `*count` elements from `*element` on are meant.
int tac__find_own_state(const tac__plan *plan, const tac__component *c, const char *text,
                        uint32_t *element, size_t *count);
void tac__suggest_own_state(const tac__plan *plan, const tac__component *c, const char *text,
                            tac_error *err);
// The period with which a signal is written, 0 where it has none.
tac_time tac__signal_period(const tac__plan *plan, const tac__signal *signal);
// The condition of the component that has this source; NULL: none.
const tac__condition *tac__condition_of(const tac__component *c, int source);
// Does the source give this island a boundary?
bool tac__source_splits(const tac__plan *plan, size_t source, size_t island);

#endif

// tangents.h - the derivatives of a run by parameters: the closed loop on dual numbers, beside the
// run on numbers.
//
// Tangents belong to a prepared engine that has not started and computes nothing in lanes
// (tac_engine_def.lanes is 1). They have a dual (TAC_DUALS_OF_ALL) for each f64 of the run:
// signals, discrete and continuous states, numbers of components, recent values that views look
// back to. While the engine runs they follow: each step of a component, each integration step that
// is certain and each evaluation of outputs is done a second time, on duals, at the same instants,
// with the same step sizes, modes, phases, draws and decisions (tac_component_type.decide). The run
// on numbers does not notice, and the values of the duals must have its bits: this is checked
// wherever a value is written.
//
// An instant that was located depends on parameters, too: docs/sensitivity.md has the terms that
// follow from it.
//
// What has no form in duals is a constant: tac__tangents_gap names such components.
#ifndef TAC_ENGINE_TANGENTS_H
#define TAC_ENGINE_TANGENTS_H

#include "base/error.h"

#include <tactus/engine.h>

typedef struct tac__tangents tac__tangents;

// They live as long as the engine. Refused: implicit methods, replays, an engine in lanes.
TAC_MUST_CHECK tac_status tac__tangents_create(tac_engine *engine, tac__tangents **made,
                                               tac_error *err);

// The f64s that decide how a run begins, one behind another in an order that follows from the
// components: numbers, outputs, discrete and continuous states, open inputs. NULL: only their
// number is returned.
size_t tac__tangents_start(const tac_engine *engine, double *values);

// The derivatives of these along a direction, from 0 to TAC_DUAL_DIRECTIONS - 1.
void tac__tangents_seed(tac__tangents *tangents, size_t direction, const double *derivatives);

// The duals of a signal at the present instant, TAC_DUAL_WIDTH doubles an element. NULL: it is not
// of f64s, or cannot be evaluated.
const double *tac__tangents_signal(tac__tangents *tangents, size_t signal);

// The same inside the present step of an island, at t_us: while a step watcher is called (watch.h).
// Where `along`, nothing but the state of the island moves, along its own flow: the first
// derivative of each dual is a rate per second, the others are 0.
TAC_MUST_CHECK tac_status tac__tangents_look(tac__tangents *tangents, size_t island, tac_time t_us,
                                             bool along);
// A signal at the last look: of that island, or a discrete one, which holds.
const double *tac__tangents_seen(const tac__tangents *tangents, size_t signal, bool along);

// Were all values so far those of the run? If not, the error says where they first were not.
TAC_MUST_CHECK tac_status tac__tangents_check(const tac__tangents *tangents, tac_error *err);

// Why what a component writes has been taken for a constant though it depends on a parameter, and
// since when. NULL: it has not.
const char *tac__tangents_gap(const tac__tangents *tangents, size_t component, tac_time *since_us);

#endif

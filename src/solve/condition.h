// condition.h - conditions on a plant, as text: "vehicle.velocity.z == -2 m/s".
#ifndef TAC_SOLVE_CONDITION_H
#define TAC_SOLVE_CONDITION_H

#include "solve/plant.h"

#include <tactus/node.h>

typedef enum tac__relation { TAC__EQUAL, TAC__AT_MOST, TAC__AT_LEAST } tac__relation;

typedef struct tac__requirement tac__requirement;

// A comparison of two numbers. Names are states, inputs and outputs of the plant; any other signal
// of the engine is a constant, with the value that it has now.
TAC_MUST_CHECK tac_status tac__requirement_make(const tac__plant *plant, const tac_node *written,
                                                tac__arena *arena, tac__requirement **requirement,
                                                tac_error *err);

tac__relation tac__requirement_relation(const tac__requirement *r);
const char *tac__requirement_text(const tac__requirement *r);
const char *tac__requirement_unit(const tac__requirement *r); // of both sides

// Left side less right side.
double tac__requirement_value(const tac__requirement *r, const double *x, const double *u,
                              const double *y);
// The slopes of that value by its own quantities, one after another: `take` is called for each.
typedef void tac__slope_fn(void *context, tac__quantity_kind kind, size_t i, double slope);
void tac__requirement_slopes(const tac__requirement *r, const double *x, const double *u,
                             const double *y, tac__slope_fn *take, void *context);

#endif

// check.h - what comparisons of graphs with a run have in common (check.c), and the comparison of a
// graph over a period of all rates (check_rates.c).
#ifndef TAC_ENGINE_TRACE_CHECK_H
#define TAC_ENGINE_TRACE_CHECK_H

#include "engine/trace/trace.h"
#include "graph/tape.h"

// A graph with its values.
typedef struct tac__evaluated {
    tac_graph *graph;
    tac__trace_sources sources;
    tac__tape *tape;
    double *in[TAC__TRACE_GROUPS], *out[TAC__TRACE_GROUPS];
    double *work;
    double *expected; // as many as the largest group of outputs has
} tac__evaluated;

// The tape and memory for values of evaluated->graph.
tac_status tac__evaluated_make(tac__arena *arena, tac__evaluated *evaluated, tac_error *err);
void tac__evaluated_run(const tac__evaluated *evaluated);

// Compare all numbers of a group.
void tac__check_compare(tac_graph_report *report, const char *component, const tac__group *group,
                        const double *got, const double *expected, tac_time t_us);

// --- check_rates.c ---
typedef struct tac__period_check tac__period_check;

// Trace the graph over a period, as `def` says. It lives in the arena but for the graph.
tac_status tac__period_check_make(tac_engine *engine, const tac_graph_def *def, tac__arena *arena,
                                  tac_graph_report *report, tac__period_check **made,
                                  tac_error *err);
void tac__period_check_end(tac__period_check *check);
// To be called before and after each instant of the run.
void tac__period_before(tac__period_check *check, tac_time t_us);
void tac__period_after(tac__period_check *check, tac_time t_us);
// A component is about to step: with these decisions, and numbers that it will draw. Of components
// that stay outside there are none.
void tac__period_step(tac__period_check *check, const tac__component *c, const tac_step *step,
                      const double *decided, const double *drawn, size_t drawn_count);

#endif

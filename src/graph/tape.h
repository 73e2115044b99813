// tape.h - a graph as a flat list of operations on registers, and the interpreter that runs it.
//
// A tape follows a schedule (schedule.h). A register holds a real of the kind in which the tape
// runs; a condition is 1 or 0. Registers are used again as soon as nobody needs their value.
// Regions are skipped where all values of the kind agree that they are not needed. Every value has
// the bits of tac__op_apply, in every kind.
#ifndef TAC_GRAPH_TAPE_H
#define TAC_GRAPH_TAPE_H

#include "graph/schedule.h"

TAC_BEGIN_DECLS

// Where an output comes from.
typedef struct tac__tape_out {
    uint32_t group, element, reg;
} tac__tape_out;

// Words of 32 bits: an operation, then its registers and numbers; see tape_ops.h.
typedef struct tac__tape {
    const uint32_t *code;
    size_t code_count;
    const double *constants; // what the first registers hold at the beginning
    uint32_t constant_count;
    uint32_t given; // the first register of the group `given`
    uint32_t registers;
    const tac__sym_table *tables;
    size_t table_count;
    const tac__tape_out *outs; // by group and element
    size_t out_count;
} tac__tape;

typedef struct tac__tape_options {
    tac__regions regions;
    const int32_t *watched; // comparisons that look for NaN: see tac__tape_watch
    size_t watched_count;
    int params;   // the group of inputs that are parameters, of type `param` (real.h); -1: none
    bool numbers; // the tape runs with numbers only, so that skips are more than hints
    int given; // the group of inputs that the caller writes into work[tape->given + i] before each
               // run, instead of in[]; -1: none
} tac__tape_options;

// The tape lives in the arena; the graph may be gone before it.
TAC_MUST_CHECK tac_status tac__tape_make(tac__arena *arena, const tac_graph *graph,
                                         tac__tape **tape, tac_error *err);
TAC_MUST_CHECK tac_status tac__tape_make_as(tac__arena *arena, const tac_graph *graph,
                                            const tac__tape_options *options, tac__tape **tape,
                                            tac_error *err);

// Do both compute the same, operation by operation? Then one can run in the place of the other, or
// both at once in the lanes of one.
bool tac__tape_same(const tac__tape *a, const tac__tape *b);

// How many reals of work memory a run needs.
static inline size_t tac__tape_work(const tac__tape *tape)
{
    return tape->registers;
}

// Run with in[g] and out[g] for each group of inputs and outputs; a NULL among them: zeros, and not
// wanted. Inputs and outputs may be the same memory. `work` needs not be set, but for what is
// given.
void tac__tape_run(const tac__tape *tape, const double *const *in, double *const *out,
                   double *work);

// The same for reals of any kind: every double of tac__tape_run is a real. Work memory of packs is
// aligned to a pack.
#define TAC__TAPE_RUN(kind)                                                                        \
    void tac__tape_run_##kind(const tac__tape *tape, const double *const *in, double *const *out,  \
                              double *work);
TAC__TAPE_RUN(f64)
TAC__TAPE_RUN(pack2)
TAC__TAPE_RUN(pack4)
TAC__TAPE_RUN(pack8)
TAC__TAPE_RUN(dual)
TAC__TAPE_RUN(dualp)
TAC__TAPE_RUN(sym)

// Run and leave the outputs in `work`, at the registers in tape->outs. Returns true as soon as a
// watched comparison meets a NaN; there are no outputs then.
bool tac__tape_watch(const tac__tape *tape, const double *const *in, double *work);

TAC_END_DECLS

#endif

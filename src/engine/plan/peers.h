// peers.h - what a component is connected to by names in its own parameters: formulas over signals
// that it watches, inputs that it feeds.
//
// While a component is declared, each formula is parsed, and each signal that it names becomes one
// watch. When everything is connected, types and units are known and the formulas are compiled.
#ifndef TAC_ENGINE_PLAN_PEERS_H
#define TAC_ENGINE_PLAN_PEERS_H

#include "expr/expr.h"
#include <tactus/component.h>

typedef struct tac__peer {
    const char *name;
    int port;
} tac__peer;

typedef struct tac__peer_list {
    tac__peer *items;
    size_t count;
    TAC__CAPACITY(tac__peer) capacity;
} tac__peer_list;

typedef struct tac__peers {
    tac__arena *arena;
    tac__peer_list watches, feeds;
    size_t memory_words; // of all formulas
} tac__peers;

typedef struct tac__formula {
    const char *text;
    tac__expr *parsed; // used until the formula is compiled
    tac__program *program;
    tac__margin *margin; // of a condition that is located; else NULL
    bool located;
    size_t memory, memory_words; // where its words begin among those of all formulas, and how many
    int *inputs;                 // watches that the formula reads
    size_t input_count;
} tac__formula;

// Errors in the text are reported at parameter `param`.
TAC_MUST_CHECK tac_status tac__formula_read(tac_declare *d, tac__peers *peers, const char *param,
                                            const char *text, tac__formula *formula);
// `unit` is what a number is converted to; NULL leaves it as it comes.
TAC_MUST_CHECK tac_status tac__formula_compile(tac_declare *d, const tac__peers *peers,
                                               const char *param, tac__expr_type wanted,
                                               const char *unit, tac__formula *formula);
// Have the engine locate where the formula turns true; returns the number of the condition.
int tac__formula_locate(tac_declare *d, const char *name, const char *param, tac__formula *formula);
// By how much a located formula without memory holds: see tac_component_type.margin.
tac_status tac__formula_margin(const tac__formula *formula, const tac_step *s, double *margin);
// Do all signals that the formula reads have a value? A discrete signal has none before its first
// write or init. A condition that is not ready is not evaluated. `s` belongs to the component of
// the formula.
bool tac__formula_ready(const tac__formula *formula, const tac_step *s);

// In `connect`: the end of the run, and the period of the component's rate group as it was
// declared, 0 where it has none.
tac_time tac__declare_end(const tac_declare *d);
tac_time tac__declare_period(const tac_declare *d);
// In `connect`: the full name of an output to which no input is connected; NULL: one is.
const char *tac__declare_unread(const tac_declare *d, int output);
// In `connect`: true if no signal is connected to the input.
bool tac__declare_open(const tac_declare *d, int input);

static inline uint64_t *tac__formula_memory(const tac__formula *f, uint64_t *words)
{
    return f->memory_words ? words + f->memory : NULL;
}

// The output that feeds an input, as in "control.speed": each once, called set_control_speed.
TAC_MUST_CHECK tac_status tac__peers_feed(tac_declare *d, tac__peers *peers, const char *input,
                                          const char *param, int *output);

#endif

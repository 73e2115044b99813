// watch.h - expressions that a component is given as text, over signals that it watches.
//
// While it is declared, each text is parsed and the signals it names become watches, each once;
// once all is connected, names, types and units are known and the texts are compiled.
#ifndef TAC_ENGINE_WATCH_H
#define TAC_ENGINE_WATCH_H

#include "expr/expr.h"
#include <tactus/component.h>

typedef struct tac__watch {
    const char *name;
    int input;
} tac__watch;

typedef struct tac__watches {
    tac__arena *arena;
    tac__watch *items;
    size_t count, capacity;
    size_t memory_words; // of all expressions
} tac__watches;

typedef struct tac__formula {
    const char *text;
    tac__expr *parsed; // until it is compiled
    tac__program *program;
    size_t memory, memory_words; // where its words begin among those of all
} tac__formula;

// `param` is to blame for what is wrong with the text.
TAC_MUST_CHECK tac_status tac__formula_read(tac_declare *d, tac__watches *w, const char *param,
                                            const char *text, tac__formula *formula);
// `unit` is what a number is converted to; NULL leaves it as it comes.
TAC_MUST_CHECK tac_status tac__formula_compile(tac_declare *d, const tac__watches *w,
                                               const char *param, tac__expr_type wanted,
                                               const char *unit, tac__formula *formula);
// The inputs that it reads, in an array of the arena; NULL: no memory.
const int *tac__formula_inputs(const tac__watches *w, const tac__formula *formula, size_t *count);

static inline uint64_t *tac__formula_memory(const tac__formula *f, uint64_t *words)
{
    return f->memory_words ? words + f->memory : NULL;
}

#endif

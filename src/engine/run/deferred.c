// deferred.c - outputs of the plant that another thread evaluates later; see watch.h. Stored are
// time, states, modes and held inputs, one after another in whole words.
#include "engine/run/lanes.h"
#include "engine/run/evaluator.h"

#include <string.h>

enum { INPUTS_MAX = 32 };

tac__deferred tac__defer_outputs(const tac_engine *e, size_t component)
{
    const tac__deferred none = {0};
    const tac__component *c = e->plan->components[component];
    if (!(c->type->flags & TAC_COMPONENT_SHARED) || !c->type->kernels[TAC_NUMBERS].output ||
        c->island < 0)
        return none;
    const tac__island *island = &e->islands[c->island];
    const bool held =
        island->alone && island->alone->plan == c && island->plan->keep_count == c->inputs.count;
    if (!held || c->inputs.count > INPUTS_MAX || c->outputs.count > TAC__DEFERRED_OUTPUTS ||
        tac__ports_words(&c->outputs) > TAC__DEFERRED_WORDS)
        return none;
    const size_t words = 1 + c->x_count + c->event_count + tac__ports_words(&c->inputs);
    return (tac__deferred){.component = island->alone,
                           .size = words * sizeof(uint64_t),
                           .inputs_us = &island->kept_us,
                           .evaluated_us = &island->peeked_us};
}

void tac__deferred_store(const tac__deferred *d, tac_time t_us, void *stored)
{
    const tac__component *c = d->component->plan;
    const tac__island *island = &d->component->engine->islands[c->island];
    double *to = stored;
    tac__lanes_show(island);
    *to++ = tac_time_seconds(t_us);
    memcpy(to, island->x, c->x_count * sizeof *to);
    to += c->x_count;
    memcpy(to, island->mode, c->event_count * sizeof *to);
    to += c->event_count;
    // All inputs are held, and their copies lie one after another.
    if (island->plan->keep_count)
        memcpy(to, island->plan->keeps[0].to, d->size - (size_t)((char *)to - (char *)stored));
}

tac_status tac__deferred_evaluate(const tac__deferred *d, const void *stored,
                                  tac__deferred_values *values)
{
    const tac__component *c = d->component->plan;
    const double *from = stored;
    void *in[INPUTS_MAX];
    tac_eval eval = {.t_s = *from++, .out = values->out, .p = c->numbers, .lanes = 1};
    eval.in = (const void *const *)in;
    eval.x = from;
    from += c->x_count;
    eval.mode = from;
    from += c->event_count;
    tac__lay_ports(&c->inputs, &tac__forms[TAC_NUMBERS], (double *)from, in);
    double *words = (double *)values->words;
    const double *end = tac__lay_ports(&c->outputs, &tac__forms[TAC_NUMBERS], words, values->out);
    memset(words, 0, (size_t)(end - words) * sizeof *words);
    return c->type->kernels[TAC_NUMBERS].output(&eval, c->self);
}

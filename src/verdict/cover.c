// cover.c - takes the samples: inside steps, at their ends, and at boundaries.
//
// The time of each expectation goes forward from sample to sample. Two neighboring samples between
// which the condition, or what one of its operators remembers, differs are searched by bisection,
// and the instant that is found becomes a sample, too.
#include "verdict/expectation.h"

#include <math.h>
#include <string.h>

// Parts of a step, as for conditions that are located; changes that are searched for in one part.
enum { PARTS = 8, CHANGES_MAX = 64 };

// --- reading ------------------------------------------------------------------------------------

// Read all signals at t_us, inside steps that are taken to end at end_us.
static void read_inside(const tac_verdict *v, tac__expectation *x, tac_time end_us, tac_time t_us)
{
    for (size_t i = 0; i < x->count; i++) {
        const tac__seen *s = &x->seen[i];
        if (s->watched.island < 0) {
            x->value[i] = x->during[i];
            continue;
        }
        tac__inside *in = v->islands[s->watched.island]->inside;
        x->value[i] =
            tac__inside_look(in, end_us, t_us) == TAC_OK
                ? tac__scalar_f64(s->scalar, tac__inside_value(in, &s->watched), s->element)
                : (double)NAN;
    }
}

static void read_boundary(const tac_verdict *v, tac__expectation *x, tac_time t_us)
{
    for (size_t i = 0; i < x->count; i++) {
        const tac__seen *s = &x->seen[i];
        const void *value = tac__watched_value(&s->watched, v->engine, t_us);
        x->value[i] = value ? tac__scalar_f64(s->scalar, value, s->element) : (double)NAN;
        x->during[i] = x->value[i];
    }
}

// --- inside steps -------------------------------------------------------------------------------

// Is the condition, or what it remembers, different at t_us from the last sample?
static bool differs(const tac_verdict *v, tac__expectation *x, tac_time end_us, tac_time t_us)
{
    const tac__known *k = x->known;
    read_inside(v, x, end_us, t_us);
    if (x->words)
        memcpy(x->trial, x->memory, x->words * sizeof *x->trial);
    const tac__expr_result r = tac__program_run(x->program, t_us, x->values, x->trial);
    return (r.value != 0) != k->truth || r.nan != k->nan ||
           (x->words && memcmp(x->trial, x->memory, x->words * sizeof *x->trial) != 0);
}

// The first instant after the last sample, at or before t_us, at which the condition differs, if it
// differs at t_us; else t_us.
static tac_time first_change(const tac_verdict *v, tac__expectation *x, tac_time end_us,
                             tac_time t_us)
{
    if (!differs(v, x, end_us, t_us))
        return t_us;
    tac_time before_us = x->known->seen_us;
    while (t_us - before_us > 1) {
        const tac_time middle_us = before_us + (t_us - before_us) / 2;
        if (differs(v, x, end_us, middle_us))
            t_us = middle_us;
        else
            before_us = middle_us;
    }
    return t_us;
}

// Go from the last sample to t_us.
static void advance(tac_verdict *v, tac__expectation *x, tac_time end_us, tac_time t_us)
{
    const tac__known *k = x->known;
    const tac_time wanted_us = k->result.t_us;
    for (int i = 0; k->seen_us < t_us && !k->over; i++) {
        tac_time to_us = t_us;
        const tac_time held_us =
            x->words ? tac__program_next(x->program, x->memory, k->seen_us + 1) : TAC_TIME_NEVER;
        if (held_us < to_us)
            to_us = held_us;
        if (wanted_us > k->seen_us && wanted_us < to_us)
            to_us = wanted_us;
        if (i < CHANGES_MAX)
            to_us = first_change(v, x, end_us, to_us);
        read_inside(v, x, end_us, to_us);
        tac__expect_sample(v, x, to_us);
    }
}

// An `at` without a memory asks for one instant.
static bool asks_once(const tac__expectation *x)
{
    return x->def.kind == TAC__EXPECT_AT && !x->words;
}

// Begin to scan (covered_us, end_us]. Returns false if there is nothing more to scan.
static bool begin_cover(tac_verdict *v, tac__expectation *x, tac_time end_us)
{
    tac__known *k = x->known;
    x->from_us = end_us;
    if (!k->ready || k->over || x->def.kind == TAC__EXPECT_STOP || k->covered_us >= end_us)
        return false;
    const tac_time from_us = k->covered_us, wanted_us = k->result.t_us;
    k->covered_us = end_us;
    if (!asks_once(x)) {
        x->from_us = from_us;
        return true;
    }
    if (wanted_us > from_us && wanted_us <= end_us) {
        read_inside(v, x, end_us, wanted_us);
        tac__expect_sample(v, x, wanted_us);
    }
    return false;
}

// Go part by part: expectations that see the same outputs then look at the same instant one after
// another, and the outputs are evaluated once.
void tac__expect_cover(tac_verdict *v, tac__expectation *const *list, size_t count, tac_time end_us)
{
    bool any = false;
    for (size_t k = 0; k < count; k++)
        any |= begin_cover(v, list[k], end_us);
    for (tac_time i = 1; any && i <= PARTS; i++) {
        for (size_t k = 0; k < count; k++) {
            tac__expectation *x = list[k];
            const tac_time length_us = end_us - x->from_us;
            if (length_us && (x->plant || i == PARTS))
                advance(v, x, end_us,
                        x->from_us + length_us / PARTS * i + length_us % PARTS * i / PARTS);
        }
    }
}

// --- boundaries ---------------------------------------------------------------------------------

static bool all_written(const tac__expectation *x)
{
    bool all = true;
    for (size_t i = 0; i < x->count; i++)
        all &= x->written[i];
    return all;
}

void tac__expect_boundary(tac_verdict *v, tac__expectation *x, tac_time t_us)
{
    tac__known *k = x->known;
    if (k->over)
        return;
    if (!k->ready) {
        k->ready = all_written(x);
        k->covered_us = t_us;
        if (!k->ready)
            return;
    }
    tac__expect_cover(v, &x, 1, t_us);
    if (k->over)
        return;
    read_boundary(v, x, t_us);
    const bool ends_step = x->def.kind != TAC__EXPECT_STOP && k->seen_us == t_us;
    if (ends_step && !memcmp(x->value, x->last, x->count * sizeof *x->last))
        return;
    if (asks_once(x) && t_us < k->result.t_us)
        return;
    tac__expect_sample(v, x, t_us);
}

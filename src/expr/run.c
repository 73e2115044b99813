// run.c - evaluates programs.
#include "expr/program.h"

#include <string.h>

// --- memory ---------------------------------------------------------------------------------
// One word an operator; 0 before the first evaluation.

// The word is 1 if the condition was false, 2 if it was true. Falling is rising of the opposite.
static double rising(uint64_t *word, bool now)
{
    const bool rises = now && *word == 1;
    *word = now ? 2 : 1;
    return rises;
}

// The word is 1 plus the time at which the condition was first seen true; 0: it is false.
static double held(uint64_t *word, bool now, tac_time t_us, tac_time duration_us)
{
    *word = !now ? 0 : *word ? *word : t_us + 1;
    return now && t_us - (*word - 1) >= duration_us;
}

// The word is the same for the last time at which the condition became true (0: never), shifted by
// one bit; the lowest bit says whether it is true now.
static double since(uint64_t *word, bool now, tac_time t_us)
{
    const tac_time became = now && !(*word & 1) ? t_us + 1 : *word >> 1;
    *word = became << 1 | now;
    return became ? tac_time_seconds(t_us - (became - 1)) : (double)__builtin_nanf("");
}

static double remember(const tac__expr_part *part, bool now, tac_time t_us, uint64_t *word)
{
    switch (part->kind) {
    case TAC__EXPR_RISING:
        return rising(word, now);
    case TAC__EXPR_FALLING:
        return rising(word, !now);
    case TAC__EXPR_HELD:
        return held(word, now, t_us, part->duration_us);
    default:
        return since(word, now, t_us);
    }
}

tac_time tac__program_next(const tac__program *p, const uint64_t *memory, tac_time from_us)
{
    tac_time next_us = TAC_TIME_NEVER;
    for (size_t i = 0; i < p->timed_count; i++) {
        if (p->parts[i].kind != TAC__EXPR_HELD || memory[i] == 0)
            continue;
        const tac_time end_us = memory[i] - 1 + p->parts[i].duration_us;
        if (end_us >= from_us && end_us < next_us)
            next_us = end_us;
    }
    return next_us;
}

// --- what was not a number ------------------------------------------------------------------

// The first signal among these that is NaN; else the text.
static const char *blame(const tac__program *p, size_t from, size_t to, const void *const *signals)
{
    for (size_t i = from; i < to; i++) {
        const tac__expr_load *load = &p->loads[i];
        const double value = ((const double *)signals[load->index])[load->element];
        if (value != value)
            return load->name;
    }
    return p->text;
}

typedef struct moment {
    const tac__program *program;
    const void *const *signals;
    double given[TAC__GIVEN_REMEMBERED + TAC__EXPR_TIMED];
    const char *nan;
} moment;

// Whether a watched comparison met a NaN.
static bool run_tape(const moment *m, const tac__tape *tape, double *work)
{
    memcpy(work + tape->given, m->given,
           (TAC__GIVEN_REMEMBERED + m->program->timed_count) * sizeof *work);
    return tac__tape_watch(tape, (const double *const *)m->signals, work);
}

// The value of a part; the first comparison that was evaluated with NaN names the culprit.
static double run_full(moment *m, const tac__expr_part *part, double *work)
{
    const tac__tape_out *outs = part->full->outs;
    (void)run_tape(m, part->full, work);
    for (size_t i = 0; i < part->comparison_count && !m->nan; i++) {
        const tac__expr_comparison *c = &part->comparisons[i];
        if (work[outs[i].reg] != 0)
            m->nan = c->name ? c->name : blame(m->program, c->from, c->to, m->signals);
    }
    return work[outs[part->comparison_count].reg];
}

static double run_part(moment *m, const tac__expr_part *part)
{
    double work[TAC__EXPR_WORK];
    const bool met_nan = !part->tape || run_tape(m, part->tape, work);
    return met_nan ? run_full(m, part, work) : work[part->tape->outs[0].reg];
}

// --- evaluating -----------------------------------------------------------------------------

// Evaluates at `t_s` seconds; operators that remember count in microseconds.
__attribute__((noinline)) static tac__expr_result evaluate(const tac__program *p, double t_s,
                                                           tac_time t_us,
                                                           const void *const *signals,
                                                           uint64_t *memory)
{
    moment m = {.program = p, .signals = signals};
    m.given[TAC__GIVEN_TIME] = t_s;
    for (size_t i = 0; i < p->timed_count; i++) {
        const bool now = run_part(&m, &p->parts[i]) != 0;
        m.given[TAC__GIVEN_REMEMBERED + i] = remember(&p->parts[i], now, t_us, &memory[i]);
    }
    tac__expr_result result = {.value = run_part(&m, &p->parts[p->timed_count])};
    result.nan = result.value == result.value ? m.nan : blame(p, 0, p->load_count, signals);
    return result;
}

void tac__expr_bundle_run(const tac__expr_bundle *b, tac_time t_us, const void *const *signals,
                          uint64_t *memory, double *out)
{
    double work[TAC__EXPR_WORK];
    moment m = {.program = &b->program, .signals = signals};
    m.given[TAC__GIVEN_TIME] = tac_time_seconds(t_us);
    for (size_t i = 0; i < b->program.timed_count; i++) {
        const tac__expr_part *part = &b->program.parts[i];
        const bool now = run_part(&m, part) != 0;
        m.given[TAC__GIVEN_REMEMBERED + i] = remember(part, now, t_us, &memory[i]);
    }
    (void)run_tape(&m, b->tape, work);
    for (size_t i = 0; i < b->count; i++)
        out[i] = work[b->tape->outs[i].reg];
}

// Most conditions remember nothing, meet no NaN and do not ask for the time. Whether such an
// evaluation was enough.
static inline bool run_quick(const tac__program *p, const void *const *signals, double *work,
                             double *value)
{
    if (__builtin_expect(tac__tape_watch(p->quick, (const double *const *)signals, work), 0))
        return false;
    *value = work[p->result];
    return __builtin_expect(*value == *value, 1);
}

tac__expr_result tac__program_run(const tac__program *p, tac_time t_us, const void *const *signals,
                                  uint64_t *memory)
{
    double work[TAC__EXPR_WORK], value;
    if (__builtin_expect(p->quick != NULL, 1)) {
        if (p->uses_time)
            work[p->given + TAC__GIVEN_TIME] = tac_time_seconds(t_us);
        if (run_quick(p, signals, work, &value))
            return (tac__expr_result){value, NULL};
    }
    return evaluate(p, tac_time_seconds(t_us), t_us, signals, memory);
}

tac__expr_result tac__program_run_at(const tac__program *p, double t_s, const void *const *signals)
{
    double work[TAC__EXPR_WORK], value;
    if (__builtin_expect(p->quick != NULL, 1)) {
        work[p->given + TAC__GIVEN_TIME] = t_s;
        if (run_quick(p, signals, work, &value))
            return (tac__expr_result){value, NULL};
    }
    return evaluate(p, t_s, 0, signals, NULL);
}

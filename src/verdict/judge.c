// judge.c - what a sample means for an expectation, and what the end of the run does.
// docs/expect.md has the rules.
#include "verdict/expectation.h"

#include <math.h>
#include <string.h>

double tac__expect_signed(const tac__expectation *x, double margin)
{
    return x->def.kind == TAC__EXPECT_ALWAYS ? margin : -margin;
}

double tac__expect_worst(const tac__expectation *x)
{
    const double margin = x->known->result.margin; // of `never` that of the opposite condition
    return x->def.kind == TAC__EXPECT_EVENTUALLY ? -margin : margin;
}

bool tac__expect_decides(const tac__expectation *x, bool truth)
{
    return x->known->result.outcome == TAC_EXPECT_UNDECIDED &&
           truth == (x->def.kind != TAC__EXPECT_ALWAYS);
}

// Keep the margin of a sample if it is the smallest so far; of an `eventually`, the largest.
static void keep_margin(tac__expectation *x, tac_time t_us)
{
    tac__margin_result m;
    if (x->given)
        m = *x->given;
    else
        m = tac__margin_run(x->margin, t_us, x->values, x->before, x->trial);
    if (x->look_count < TAC__LOOKS_MAX)
        x->looks[x->look_count++] = (tac__look){t_us, tac__expect_signed(x, m.margin)};
    tac_expectation *r = &x->known->result;
    const double margin = x->def.kind == TAC__EXPECT_NEVER ? 0 - m.margin : m.margin;
    const bool largest = x->def.kind == TAC__EXPECT_EVENTUALLY;
    if (isnan(margin) || !(isnan(r->margin) || (largest ? margin > r->margin : margin < r->margin)))
        return;
    r->margin = margin;
    r->worst = m.value;
    r->unit = m.unit;
    r->comparison = m.comparison;
    r->worst_us = t_us;
}

static void decide(tac__expectation *x, tac_expect_outcome outcome, tac_time when_us)
{
    x->known->result.outcome = outcome;
    x->known->result.when_us = when_us;
}

static void fail_for_nan(tac__expectation *x, tac_time t_us)
{
    x->known->result.nan = x->known->nan;
    decide(x, TAC_EXPECT_FAILED, t_us);
    x->known->over = true;
}

static void judge_all_the_time(tac__expectation *x, tac_time t_us)
{
    tac__known *k = x->known;
    if (k->nan) {
        fail_for_nan(x, t_us);
        return;
    }
    keep_margin(x, t_us);
    const bool broken = k->truth == (x->def.kind == TAC__EXPECT_NEVER);
    if (broken && k->result.outcome == TAC_EXPECT_UNDECIDED)
        decide(x, TAC_EXPECT_FAILED, t_us);
}

// T of an `eventually` has passed. Without a sample up to T nobody knows.
static void miss(tac__expectation *x)
{
    tac__known *k = x->known;
    if (k->result.outcome == TAC_EXPECT_UNDECIDED && k->first_us <= k->result.t_us)
        decide(x, TAC_EXPECT_FAILED, TAC_TIME_NEVER);
    k->over = true;
}

static void judge_eventually(tac__expectation *x, tac_time t_us)
{
    tac__known *k = x->known;
    const bool passed = k->result.outcome == TAC_EXPECT_PASSED;
    if (t_us > k->result.t_us) {
        miss(x);
    } else if (!k->nan) {
        keep_margin(x, t_us);
        if (k->truth && !passed)
            decide(x, TAC_EXPECT_PASSED, t_us);
    } else if (!passed) {
        fail_for_nan(x, t_us);
    }
}

// The last sample at T decides.
static void judge_at(tac__expectation *x, tac_time t_us)
{
    tac__known *k = x->known;
    k->over = t_us > k->result.t_us;
    if (t_us != k->result.t_us)
        return;
    k->result.margin = (double)NAN;
    k->result.nan = k->nan;
    decide(x, k->truth && !k->nan ? TAC_EXPECT_PASSED : TAC_EXPECT_FAILED, t_us);
    if (!k->nan)
        keep_margin(x, t_us);
}

static void judge_stop(tac_verdict *v, tac__expectation *x, tac_time t_us)
{
    tac__known *k = x->known;
    k->result.nan = k->nan;
    if (!k->nan && !k->truth)
        return;
    k->over = true;
    v->stopped = true;
    v->stopped_us = t_us;
    tac_engine_stop(v->engine);
}

static void judge(tac_verdict *v, tac__expectation *x, tac_time t_us)
{
    switch (x->def.kind) {
    case TAC__EXPECT_ALWAYS:
    case TAC__EXPECT_NEVER:
        judge_all_the_time(x, t_us);
        break;
    case TAC__EXPECT_EVENTUALLY:
        judge_eventually(x, t_us);
        break;
    case TAC__EXPECT_AT:
        judge_at(x, t_us);
        break;
    case TAC__EXPECT_STOP:
        judge_stop(v, x, t_us);
        break;
    }
}

void tac__expect_sample(tac_verdict *v, tac__expectation *x, tac_time t_us)
{
    tac__known *k = x->known;
    if (x->words)
        memcpy(x->before, x->memory, x->words * sizeof *x->before);
    const tac__expr_result r = tac__program_run(x->program, t_us, x->values, x->memory);
    k->truth = r.value != 0;
    k->nan = r.nan;
    if (k->seen_us == TAC_TIME_NEVER)
        k->first_us = t_us;
    k->seen_us = t_us;
    memcpy(x->last, x->value, x->count * sizeof *x->last);
    judge(v, x, t_us);
}

void tac__expect_sample_of(tac_verdict *v, tac__expectation *x, tac_time t_us, bool truth,
                           const tac__margin_result *margin)
{
    tac__known *k = x->known;
    k->truth = truth;
    k->nan = NULL;
    if (k->seen_us == TAC_TIME_NEVER)
        k->first_us = t_us;
    k->seen_us = t_us;
    x->last[0] = (double)NAN; // the signals were not evaluated
    x->given = margin;
    judge(v, x, t_us);
    x->given = NULL;
}

void tac__expect_found(tac__expectation *x, tac_time t_us, const tac__margin_result *margin,
                       bool truth, tac_time turned_us)
{
    x->given = margin;
    keep_margin(x, t_us);
    x->given = NULL;
    if (tac__expect_decides(x, truth))
        decide(x, x->def.kind == TAC__EXPECT_EVENTUALLY ? TAC_EXPECT_PASSED : TAC_EXPECT_FAILED,
               turned_us);
}

// --- the end ------------------------------------------------------------------------------------

static const char *say(tac_verdict *v, const char *format, const char *name, tac_time a_us,
                       tac_time b_us)
{
    char a[TAC_TIME_TEXT], b[TAC_TIME_TEXT];
    tac_time_print(a_us, a);
    tac_time_print(b_us, b);
    const char *text = name ? tac__arena_format(&v->arena, format, name, a)
                            : tac__arena_format(&v->arena, format, a, b);
    return text ? text : "no memory is left to say why";
}

static const char *name_of(const tac_verdict *v, const tac__expectation *x, uint32_t k)
{
    return tac__schema_name(tac__watch_schema(v->engine), (size_t)x->seen[k].signal);
}

// Why nothing decided the expectation.
static const char *reason_of(tac_verdict *v, const tac__expectation *x, tac_time t_us, bool failed)
{
    const tac__known *k = x->known;
    const bool all_along = x->def.kind == TAC__EXPECT_ALWAYS || x->def.kind == TAC__EXPECT_NEVER;
    const tac_time wanted_us = k->result.t_us;
    if (!v->begun)
        return "tac_verdict_begin was never called";
    if (!all_along && wanted_us < v->start_us)
        return say(v, "%s lies before %s, where the verdict began", NULL, wanted_us, v->start_us);
    if (failed && (all_along || wanted_us > t_us))
        return say(v, "the run failed at %s", NULL, t_us, t_us);
    if (!all_along && wanted_us > t_us)
        return say(v, "the run ended before %s", NULL, wanted_us, t_us);
    if (k->ready)
        return say(v,
                   x->def.kind == TAC__EXPECT_AT ? "'%s' had no value at %s"
                                                 : "'%s' had no value by %s",
                   name_of(v, x, k->lacking), wanted_us, 0);
    uint32_t first = 0;
    while (first + 1 < x->count && x->written[first])
        first++;
    return say(v, "'%s' never had a value", name_of(v, x, first), 0, 0);
}

void tac__expect_conclude(tac_verdict *v, tac__expectation *x, tac_time t_us, bool failed)
{
    tac__known *k = x->known;
    tac_expectation *r = &k->result;
    // The last sample was taken before the run's own condition made its time the end.
    if (v->stopped && x->def.until_end && x->def.kind == TAC__EXPECT_AT && k->seen_us == r->t_us)
        judge_at(x, t_us);
    if (k->ready && r->outcome == TAC_EXPECT_UNDECIDED) {
        if (x->def.kind == TAC__EXPECT_EVENTUALLY && t_us >= r->t_us)
            miss(x);
        else if (!failed && (x->def.kind == TAC__EXPECT_ALWAYS || x->def.kind == TAC__EXPECT_NEVER))
            decide(x, TAC_EXPECT_PASSED, TAC_TIME_NEVER);
    }
    r->reason = r->outcome == TAC_EXPECT_UNDECIDED ? reason_of(v, x, t_us, failed) : NULL;
}

// cover.c - takes the samples: inside steps, at their ends, and at boundaries.
//
// The time of each expectation goes forward from sample to sample. Two neighboring samples between
// which the condition, or what one of its operators remembers, differs are searched by bisection,
// and the instant that is found becomes a sample, too.
#include "verdict/form.h"

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

// The island that a condition with a form sees.
static tac__inside *island_of(const tac_verdict *v, const tac__expectation *x)
{
    size_t i = 0;
    while (x->seen[i].watched.island < 0)
        i++;
    return v->islands[x->seen[i].watched.island]->inside;
}

// By its form a condition needs no outputs. False: it has none, or some side is not a number. An
// instant is often looked at twice in a row: did the condition turn, then as a sample.
static bool look_by_form(const tac_verdict *v, tac__expectation *x, tac_time end_us, tac_time t_us,
                         tac__margin_result *margin, bool *truth)
{
    tac__form *q = x->form;
    if (!q)
        return false;
    tac__inside *in = island_of(v, x);
    const tac_time from_us = tac__inside_from(in);
    if (q->look_us != t_us || q->look_from_us != from_us || q->look_end_us != end_us) {
        q->look_us = TAC_TIME_NEVER;
        if (!tac__expect_sides_inside(x, in, end_us, t_us) ||
            !tac__margin_of(x->margin, q->side, &q->look_margin, &q->look_truth))
            return false;
        q->look_us = t_us;
        q->look_from_us = from_us;
        q->look_end_us = end_us;
    }
    *margin = q->look_margin;
    *truth = q->look_truth;
    return true;
}

// Take a sample inside the steps.
static void sample_inside(tac_verdict *v, tac__expectation *x, tac_time end_us, tac_time t_us)
{
    tac__margin_result m;
    bool truth;
    if (look_by_form(v, x, end_us, t_us, &m, &truth)) {
        tac__expect_sample_of(v, x, t_us, truth, &m);
        return;
    }
    read_inside(v, x, end_us, t_us);
    tac__expect_sample(v, x, t_us);
}

// --- inside steps -------------------------------------------------------------------------------

// Is the condition, or what it remembers, different at t_us from the last sample?
static bool differs(const tac_verdict *v, tac__expectation *x, tac_time end_us, tac_time t_us)
{
    const tac__known *k = x->known;
    tac__margin_result m;
    bool truth;
    if (look_by_form(v, x, end_us, t_us, &m, &truth))
        return truth != k->truth || k->nan;
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
        sample_inside(v, x, end_us, to_us);
    }
}

bool tac__expect_asks_once(const tac__expectation *x)
{
    return x->def.kind == TAC__EXPECT_AT && !x->words;
}

// The start of the steps, with the values that hold during them.
static void see_start(tac_verdict *v, tac__expectation *x, tac_time end_us, tac_time from_us)
{
    if (x->form) {
        sample_inside(v, x, end_us, from_us);
        return;
    }
    read_inside(v, x, end_us, from_us);
    if (x->known->seen_us != from_us || memcmp(x->value, x->last, x->count * sizeof *x->last) != 0)
        tac__expect_sample(v, x, from_us);
}

// Begin to scan (covered_us, end_us]. Returns false if there is nothing more to scan.
static bool begin_cover(tac_verdict *v, tac__expectation *x, tac_time end_us)
{
    tac__known *k = x->known;
    x->from_us = end_us;
    if (!k->ready || k->over || x->def.kind == TAC__EXPECT_STOP || k->covered_us >= end_us)
        return false;
    const tac_time wanted_us = k->result.t_us;
    tac_time from_us = k->covered_us;
    if (x->form && tac__inside_from(island_of(v, x)) > from_us)
        from_us = tac__inside_from(island_of(v, x)); // steps before it were passed by
    k->covered_us = end_us;
    if (from_us >= end_us)
        return false;
    x->look_count = 0;
    if (x->plant && !tac__expect_asks_once(x))
        see_start(v, x, end_us, from_us);
    if (!tac__expect_asks_once(x)) {
        x->from_us = from_us;
        return !k->over;
    }
    if (wanted_us > from_us && wanted_us <= end_us) {
        read_inside(v, x, end_us, wanted_us);
        tac__expect_sample(v, x, wanted_us);
    }
    return false;
}

// --- the worst margin inside a step -------------------------------------------------------------

// The margin at t_us, smaller is worse.
static double margin_at(const tac_verdict *v, tac__expectation *x, tac_time end_us, tac_time t_us)
{
    read_inside(v, x, end_us, t_us);
    const tac__margin_result m = tac__margin_run(x->margin, t_us, x->values, x->before, x->trial);
    return tac__expect_signed(x, m.margin);
}

static bool decides_at(const tac_verdict *v, tac__expectation *x, tac_time end_us, tac_time t_us)
{
    tac__margin_result m;
    bool truth;
    return look_by_form(v, x, end_us, t_us, &m, &truth) && tac__expect_decides(x, truth);
}

// Between two samples the margin has its least value: golden sections find it.
static void find_least(tac_verdict *v, tac__expectation *x, tac_time end_us, tac__look a,
                       tac__look c)
{
    enum { SECTIONS = 60 };
    const double golden = 0.3819660112501051, close_part = 1e-7; // of what the margin changes
    const tac_time before_us = a.t_us;
    tac_time length_us = c.t_us - a.t_us;
    tac__look b = {.t_us = a.t_us + (tac_time)(golden * (double)length_us)};
    b.margin = margin_at(v, x, end_us, b.t_us);
    const double close = close_part * (fabs(a.margin - c.margin) + fabs(a.margin - b.margin)) +
                         1e-9 * fabs(b.margin);
    for (int i = 0; i < SECTIONS && (length_us = c.t_us - a.t_us) > 2 &&
                    !(fabs(a.margin - b.margin) <= close && fabs(c.margin - b.margin) <= close);
         i++) {
        const bool left = b.t_us - a.t_us > c.t_us - b.t_us;
        const tac_time room_us = left ? b.t_us - a.t_us : c.t_us - b.t_us;
        const tac_time part_us = (tac_time)(golden * (double)room_us);
        const tac_time step_us = part_us > 0 ? part_us : 1;
        tac__look m = {.t_us = left ? b.t_us - step_us : b.t_us + step_us};
        m.margin = margin_at(v, x, end_us, m.t_us);
        const bool better = m.margin < b.margin;
        if (better && left)
            c = b;
        else if (better)
            a = b;
        else if (left)
            a = m;
        else
            c = m;
        b = better ? m : b;
    }
    tac_time turned_us = b.t_us;
    if (decides_at(v, x, end_us, b.t_us)) {
        for (tac_time low_us = before_us; turned_us - low_us > 1;) {
            const tac_time middle_us = low_us + (turned_us - low_us) / 2;
            if (decides_at(v, x, end_us, middle_us))
                turned_us = middle_us;
            else
                low_us = middle_us;
        }
    }
    tac__margin_result m;
    bool truth;
    if (look_by_form(v, x, end_us, b.t_us, &m, &truth))
        tac__expect_found(x, b.t_us, &m, truth, turned_us);
}

// May the margin near sample i, which is no worse than its neighbors, be worse than all so far? It
// is taken to change between samples by no more than among five of them.
static bool may_be_worst(const tac__expectation *x, const tac__look *looks, size_t count, size_t i)
{
    double most = looks[i].margin;
    for (size_t k = i > 2 ? i - 2 : 0; k < count && k <= i + 2; k++)
        most = looks[k].margin > most ? looks[k].margin : most;
    const double worst = tac__expect_worst(x);
    return isfinite(most) && looks[i].margin - (most - looks[i].margin) < worst;
}

// Look for the worst margin beside each sample of the step that is no better than its neighbors.
static void refine(tac_verdict *v, tac__expectation *x, tac_time end_us)
{
    tac__look looks[TAC__LOOKS_MAX];
    const size_t count = x->look_count;
    memcpy(looks, x->looks, count * sizeof *looks);
    for (size_t i = 0; i < count && !x->known->over; i++) {
        const tac__look a = looks[i ? i - 1 : 0], c = looks[i + 1 < count ? i + 1 : i];
        if (looks[i].margin > a.margin || looks[i].margin > c.margin || c.t_us - a.t_us < 3 ||
            !may_be_worst(x, looks, count, i))
            continue;
        find_least(v, x, end_us, a, c);
    }
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
    for (size_t k = 0; any && k < count; k++) {
        if (list[k]->form && list[k]->from_us < end_us)
            refine(v, list[k], end_us);
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
    if (tac__expect_asks_once(x) && t_us < k->result.t_us)
        return;
    tac__expect_sample(v, x, t_us);
}

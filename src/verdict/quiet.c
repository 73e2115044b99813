// quiet.c - passes by the steps that can change nothing.
//
// A box is a range for every slot of a form in which the condition cannot turn and its margin
// cannot become a new worst one. While both ends of each step stay in it nothing is evaluated. A
// state may swing out between the ends of a step; so its range is narrowed by the most that its
// rate, bounded in the box, allows. Outside a box the ends of a step are evaluated, and the ranges
// of the slots over this one step decide whether to look inside.
#include "verdict/form.h"

#include <math.h>
#include <string.h>

// SAFETY: by how much a swing inside a step is overestimated. WAIT_MAX: steps until a box is tried
// again after it failed many times. WINS: boxes of one length before a longer one is tried. REACH:
// lengths of boxes, in steps.
enum { SAFETY = 2, WAIT_MAX = 256, WINS = 2 };
static const double REACH[] = {300, 100, 30, 10, 4, 2};

// A margin may be wrong by this part of itself.
static const double TOLERANCE = 1e-7;

// --- values -------------------------------------------------------------------------------------

static double state_at(const tac__slot *slot, const double *x, size_t stride)
{
    return x[slot->index * stride];
}

// Values of all slots at both ends of the step.
static void read_ends(const tac__expectation *x, const tac__step_ends *ends, tac_time end_us)
{
    tac__form *q = x->form;
    for (size_t i = 0; i < q->count; i++) {
        const tac__slot *slot = &q->slots[i];
        switch (slot->kind) {
        case TAC__SLOT_TIME:
            q->start[i] = tac_time_seconds(ends->from_us);
            q->end[i] = tac_time_seconds(end_us);
            break;
        case TAC__SLOT_STATE:
            q->start[i] = state_at(slot, ends->x, ends->stride);
            q->end[i] = state_at(slot, ends->y, ends->stride);
            break;
        case TAC__SLOT_SIGNAL:
            q->start[i] = q->end[i] = x->during[slot->index];
            break;
        case TAC__SLOT_MODE:
        case TAC__SLOT_HELD:
            q->start[i] = q->end[i] = tac__slot_value(slot);
            break;
        }
    }
}

static void run_tape(const tac__tape *tape, const double *slots, double *work, double *out)
{
    const double *const in[] = {slots};
    double *const outs[] = {out};
    tac__tape_run(tape, in, outs, work);
}

// --- ranges -------------------------------------------------------------------------------------

// What may happen while the slots lie in their ranges.
typedef struct prospect {
    bool turn;    // the condition may turn, or meet a NaN
    double worst; // signed margins lie above this
    bool kink;
} prospect;

static prospect look_ahead(const tac__expectation *x)
{
    const tac__form *q = x->form;
    tac__bounds_run(q->side_bounds, q->slot_range, q->side_range);
    const tac__margin_range m = tac__margin_between(x->margin, q->side_range);
    const bool decided = x->known->result.outcome != TAC_EXPECT_UNDECIDED;
    const bool turn = x->def.kind == TAC__EXPECT_ALWAYS ? m.may_not : m.may;
    return (prospect){.turn = m.nan || (!decided && turn),
                      .worst = x->def.kind == TAC__EXPECT_ALWAYS ? m.lo : -m.hi,
                      .kink = m.kink};
}

// A signed margin that is worse than the worst so far by no more than the tolerance.
static double still_good(double worst)
{
    return worst - TOLERANCE * fabs(worst);
}

// Neither a turn nor a margin that is worse than the worst so far.
static bool is_harmless(const tac__expectation *x, const prospect *p)
{
    return !p->turn && p->worst >= still_good(tac__expect_worst(x));
}

// --- one step -----------------------------------------------------------------------------------

// Ranges of the slots over the step. Between its ends a state follows a cubic with its rates there,
// about: it leaves the chord by a quarter of the difference of slopes at most.
static void span_step(const tac__form *q, double h_s)
{
    for (size_t i = 0; i < q->count; i++) {
        const double a = q->start[i], b = q->end[i];
        double swing = 0;
        if (q->rate[i] >= 0) {
            const double u = h_s * q->rate_start[q->rate[i]] - (b - a),
                         w = h_s * q->rate_end[q->rate[i]] - (b - a);
            const bool steady = u * (b - a) >= -(b - a) * (b - a) &&
                                w * (b - a) >= -(b - a) * (b - a) && fabs(u) <= fabs(b - a) &&
                                fabs(w) <= fabs(b - a);
            swing = steady ? 0 : SAFETY * 0.25 * (fabs(u) > fabs(w) ? fabs(u) : fabs(w));
        }
        q->slot_range[i] =
            (tac__range){.lo = (a < b ? a : b) - swing, .hi = (a < b ? b : a) + swing};
    }
}

// The signed margin a little inside the step, from an end.
static double margin_near(const tac__expectation *x, bool at_start, double h_s)
{
    const double little = 1e-3;
    tac__form *q = x->form;
    for (size_t i = 0; i < q->count; i++) {
        const double from = at_start ? q->start[i] : q->end[i];
        double change = q->end[i] - q->start[i];
        if (q->rate[i] >= 0)
            change = h_s * (at_start ? q->rate_start : q->rate_end)[q->rate[i]];
        q->between[i] = from + (at_start ? little : -little) * change;
    }
    run_tape(q->sides, q->between, q->work, q->side);
    return tac__expect_signed(x, tac__margin_number(x->margin, q->side));
}

// May a smooth margin have a new worst value inside the step? From its rates at both ends: no, if
// it goes one way, or if the swing that they allow does not reach so far.
static bool may_dip(const tac__expectation *x, double m0, double m1, double worst, double h_s)
{
    const double little = 1e-3;
    const double near0 = margin_near(x, true, h_s), near1 = margin_near(x, false, h_s);
    const double d = m1 - m0, a = (near0 - m0) / little, b = (m1 - near1) / little;
    if (!isfinite(d) || !isfinite(a) || !isfinite(b))
        return true;
    const double room = 1e-11 * (fabs(m0) + fabs(m1)); // of rounding
    const bool one_way =
        (a >= -room && b >= -room && d >= 0 && a <= 2 * d + room && b <= 2 * d + room) ||
        (a <= room && b <= room && d <= 0 && a >= 2 * d - room && b >= 2 * d - room);
    if (one_way)
        return false;
    const double u = fabs(a - d), w = fabs(b - d);
    return (m0 < m1 ? m0 : m1) - SAFETY * 0.25 * (u > w ? u : w) < worst;
}

// --- boxes --------------------------------------------------------------------------------------

// A box that needs no slot but discrete signals: the condition is decided by those.
static bool try_free(tac__expectation *x)
{
    tac__form *q = x->form;
    for (size_t i = 0; i < q->count; i++)
        q->slot_range[i] = q->slots[i].kind == TAC__SLOT_SIGNAL
                               ? tac__range_point(q->end[i])
                               : tac__range_of(-(double)INFINITY, (double)INFINITY);
    for (size_t i = 0; i < q->count; i++) {
        if (q->slots[i].kind == TAC__SLOT_SIGNAL)
            q->signals[q->slots[i].index] = q->slot_range[i];
    }
    const prospect p = look_ahead(x);
    q->box_states = q->box_count = 0;
    q->until_us = q->longest_us = TAC_TIME_NEVER;
    return is_harmless(x, &p);
}

// How far a slot may go in a box of so many steps.
static double reach_of(const tac__form *q, size_t i, double steps, double h_s)
{
    double change = fabs(q->end[i] - q->start[i]) + q->moved[i];
    if (q->rate[i] >= 0 && h_s * fabs(q->rate_end[q->rate[i]]) > change)
        change = h_s * fabs(q->rate_end[q->rate[i]]);
    return steps * change + 1e-9 * fabs(q->end[i]) + 1e-300;
}

// Narrow the range of a state by what its rate allows between the ends of a step.
static bool narrow(const tac__form *q, size_t i, double longest_s, tac__range *range)
{
    const int32_t rate = q->rate[i];
    double swing = SAFETY * longest_s * fabs(q->rate_end[rate]) * 0.5;
    if (q->bounded[rate]) {
        const tac__range r = q->rate_range[rate];
        const double least = 0.25 * longest_s * (r.hi - r.lo);
        if (!(least < range->hi - range->lo))
            return false;
        swing = least;
    }
    range->lo += swing;
    range->hi -= swing;
    return range->lo <= q->end[i] && q->end[i] <= range->hi;
}

// The time is limited by until_us, and a write of a signal ends the box. False: there is no room
// for swings of a state.
static bool add_side(tac__form *q, uint32_t i)
{
    const tac__slot *slot = &q->slots[i];
    tac__range range = q->slot_range[i];
    if (slot->kind == TAC__SLOT_SIGNAL)
        q->signals[slot->index] = range;
    if (slot->kind == TAC__SLOT_TIME || slot->kind == TAC__SLOT_SIGNAL)
        return true;
    bool needed = q->own[i];
    for (size_t r = 0; r < q->rate_count && slot->kind == TAC__SLOT_STATE; r++)
        needed |= q->bounded[r];
    if (!needed)
        return true;
    if (q->rate[i] >= 0 && !narrow(q, i, tac_time_seconds(q->longest_us), &range))
        return false;
    q->box[q->box_count++] = (tac__box_side){range.lo, range.hi, i, slot->index};
    return true;
}

static bool try_box(tac__expectation *x, double steps, tac_time from_us, tac_time end_us)
{
    tac__form *q = x->form;
    const tac_time longest_us = 2 * (end_us - from_us);
    const double h_s = tac_time_seconds(end_us - from_us);
    q->until_us = end_us + (tac_time)steps * longest_us;
    q->longest_us = longest_us;
    for (size_t i = 0; i < q->count; i++) {
        const tac__slot_kind kind = q->slots[i].kind;
        const double at = q->end[i], reach = reach_of(q, i, steps, h_s);
        q->slot_range[i] =
            kind == TAC__SLOT_STATE || kind == TAC__SLOT_HELD || kind == TAC__SLOT_SIGNAL
                ? tac__range_of(at - reach, at + reach)
            : kind == TAC__SLOT_TIME ? tac__range_of(at, tac_time_seconds(q->until_us))
                                     : tac__range_point(at);
    }
    const prospect p = look_ahead(x);
    q->quiet = is_harmless(x, &p);
    q->smooth = !p.turn && !p.kink;
    if (!q->quiet && !q->smooth)
        return false;
    if (q->rate_count)
        tac__bounds_run(q->rate_bounds, q->slot_range, q->rate_range);
    q->box_states = q->box_count = 0;
    for (int states = 1; states >= 0; states--) {
        for (uint32_t i = 0; i < q->count; i++) {
            if ((q->slots[i].kind == TAC__SLOT_STATE) == states && !add_side(q, i))
                return false;
        }
        if (states)
            q->box_states = q->box_count;
    }
    return true;
}

// Look for a box around the end of the step, quiet or at least smooth: a larger one after a quiet
// one, a smaller one where there was none.
static void seek_box(tac__expectation *x, tac_time from_us, tac_time end_us)
{
    enum { LAST = sizeof REACH / sizeof *REACH - 1 };
    tac__form *q = x->form;
    if (q->wait > 0) {
        q->wait--;
        return;
    }
    if (!q->tried_free) {
        q->tried_free = true;
        q->quiet = try_free(x);
        if (q->quiet)
            return;
    }
    if (try_box(x, REACH[q->reach], from_us, end_us)) {
        q->smooth = !q->quiet;
        q->failures = 0;
        if (++q->wins >= WINS && q->reach > 0) {
            q->reach--;
            q->wins = 0;
        }
        return;
    }
    q->quiet = q->smooth = false;
    q->wins = 0;
    if (q->reach < LAST) {
        q->reach++;
        return;
    }
    q->failures++;
    q->wait = q->failures < 8 ? 1u << q->failures : WAIT_MAX;
}

// Do both ends of the step lie in the box?
static inline bool stays_in_box(const tac__form *q, const tac__step_ends *ends, tac_time end_us)
{
    if (end_us > q->until_us || end_us - ends->from_us > q->longest_us)
        return false;
    bool in = true;
    const tac__box_side *b = q->box, *states = b + q->box_states, *end = b + q->box_count;
    for (; b < states; b++) {
        const double x = ends->x[b->state * ends->stride], y = ends->y[b->state * ends->stride];
        in &= (x >= b->lo) & (x <= b->hi) & (y >= b->lo) & (y <= b->hi);
    }
    for (; b < end && in; b++) {
        const double value = tac__slot_value(&q->slots[b->slot]);
        in = (value >= b->lo) & (value <= b->hi);
    }
    return in;
}

// --- all together -------------------------------------------------------------------------------

// Keep what the next step is compared with.
static void keep_end(tac__expectation *x, tac_time end_us, double m0, double m1, double h_s)
{
    tac__form *q = x->form;
    memcpy(q->last, q->end, q->count * sizeof *q->last);
    q->last_us = end_us;
    q->last_margin = m1;
    q->last_slope = (m1 - m0) / h_s;
}

// Does the step begin where the one before ended, with the same values of all that the sides see?
static bool goes_on(const tac__form *q, tac_time from_us)
{
    if (q->last_us != from_us)
        return false;
    bool same = true;
    for (size_t i = 0; i < q->count; i++)
        same &= !q->own[i] || q->start[i] == q->last[i];
    return same;
}

// How far held inputs move from step to step.
static void follow_held(tac__form *q)
{
    for (size_t i = 0; i < q->count; i++) {
        if (q->slots[i].kind != TAC__SLOT_HELD && q->slots[i].kind != TAC__SLOT_SIGNAL)
            continue;
        const double moved = fabs(q->start[i] - q->before[i]);
        q->moved[i] = moved > q->moved[i] ? moved : 0.9 * q->moved[i];
        q->before[i] = q->start[i];
    }
}

// A sample of the sides that were computed.
static bool sample_sides(tac_verdict *v, tac__expectation *x, tac_time t_us)
{
    tac__margin_result r;
    bool truth;
    if (!tac__margin_of(x->margin, x->form->side, &r, &truth))
        return false;
    tac__expect_sample_of(v, x, t_us, truth, &r);
    return true;
}

// Can nothing happen inside the step but at its ends, where the margins are m0 and m1?
static bool is_plain(tac__expectation *x, double m0, double m1, double h_s)
{
    tac__form *q = x->form;
    if (q->rate_count) {
        run_tape(q->rates, q->start, q->work, q->rate_start);
        run_tape(q->rates, q->end, q->work, q->rate_end);
    }
    span_step(q, h_s);
    const prospect p = look_ahead(x);
    if (p.turn)
        return false;
    double worst = tac__expect_worst(x);
    worst = m0 < worst ? m0 : worst;
    worst = m1 < worst ? m1 : worst;
    return p.worst >= still_good(worst) || (!p.kink && !may_dip(x, m0, m1, worst, h_s));
}

// A step in a smooth box that goes on from the one before: the margin at its end, and how its slope
// changed, tell enough.
static bool passes_smoothly(tac_verdict *v, tac__expectation *x, tac_time from_us, tac_time end_us,
                            double m0)
{
    tac__form *q = x->form;
    const double h_s = tac_time_seconds(end_us - from_us);
    run_tape(q->sides, q->end, q->work, q->side);
    const double m1 = tac__expect_signed(x, tac__margin_number(x->margin, q->side));
    const double slope = (m1 - m0) / h_s, bend = fabs(slope - q->last_slope) * h_s;
    const double worst = tac__expect_worst(x);
    const bool one_way = (slope > 0) == (q->last_slope > 0) && bend <= fabs(m1 - m0);
    if (!(one_way || (m0 < m1 ? m0 : m1) - SAFETY * bend >= worst))
        return false;
    if (!(m1 >= worst) && !sample_sides(v, x, end_us))
        return false;
    x->known->covered_us = end_us;
    keep_end(x, end_us, m0, m1, h_s);
    return true;
}

bool tac__expect_absorbs(tac__expectation *x, size_t component, const tac__inside *inside,
                         tac_time t_us)
{
    const tac__form *q = x->form;
    bool stays = q->quiet || (q->smooth && tac__inside_from(inside) == t_us);
    for (int change = 0; change < 2 && stays; change++) {
        for (size_t i = 0; i < x->count && stays; i++) {
            const tac__seen *s = &x->seen[i];
            if (s->component != component || s->watched.island >= 0)
                continue;
            const double value = tac__scalar_f64(s->scalar, s->watched.bus, s->element);
            stays = value >= q->signals[i].lo && value <= q->signals[i].hi;
            if (change)
                x->during[i] = value;
        }
    }
    return stays;
}

bool tac__expect_sides_inside(tac__expectation *x, tac__inside *in, tac_time end_us, tac_time t_us)
{
    const double *states = tac__inside_states(in, end_us, t_us);
    if (!states)
        return false;
    const tac__step_ends ends = {states, states, 1, t_us};
    read_ends(x, &ends, t_us);
    run_tape(x->form->sides, x->form->end, x->form->work, x->form->side);
    return true;
}

bool tac__expect_stays(tac__expectation *x, const tac__step_ends *ends, tac_time end_us)
{
    tac__form *q = x->form;
    return q->quiet && (q->quiet = stays_in_box(q, ends, end_us));
}

bool tac__expect_passes_by(tac_verdict *v, tac__expectation *x, const tac__step_ends *ends,
                           tac_time end_us)
{
    tac__form *q = x->form;
    tac__known *k = x->known;
    q->smooth = q->smooth && stays_in_box(q, ends, end_us);
    if (k->covered_us > ends->from_us) // it has been looked into the step already
        return false;
    k->covered_us = ends->from_us;
    read_ends(x, ends, end_us);
    follow_held(q);
    // A jump at the boundary moves the margin, but hardly its slope.
    const bool follows = q->smooth && q->last_us == ends->from_us;
    double m0 = q->last_margin;
    if (!goes_on(q, ends->from_us)) {
        run_tape(q->sides, q->start, q->work, q->side);
        m0 = tac__expect_signed(x, tac__margin_number(x->margin, q->side));
        if (!(follows && m0 >= tac__expect_worst(x)) && !sample_sides(v, x, ends->from_us))
            return false;
    }
    if (follows && !k->over && passes_smoothly(v, x, ends->from_us, end_us, m0))
        return true;
    q->smooth = false;
    q->last_us = TAC_TIME_NEVER;
    if (k->over)
        return true;
    const bool whole = x->def.kind != TAC__EXPECT_EVENTUALLY || k->result.t_us <= ends->from_us ||
                       k->result.t_us >= end_us;
    run_tape(q->sides, q->end, q->work, q->side);
    const double m1 = tac__expect_signed(x, tac__margin_number(x->margin, q->side));
    const double h_s = tac_time_seconds(end_us - ends->from_us);
    if (!whole || !is_plain(x, m0, m1, h_s))
        return false;
    run_tape(q->sides, q->end, q->work, q->side);
    if (!sample_sides(v, x, end_us))
        return false;
    k->covered_us = end_us;
    keep_end(x, end_us, m0, m1, h_s);
    if (!k->over)
        seek_box(x, ends->from_us, end_us);
    return true;
}

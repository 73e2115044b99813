// sensitivity.c - see tactus/sensitivity.h.
#include "base/def.h"
#include "base/floats.h"
#include "base/ticks.h"
#include "bus/type.h"
#include "engine/plan/named_param.h"
#include "solve/result.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { WIDTH = TAC_DUAL_WIDTH, DIRECTIONS = TAC_DUAL_DIRECTIONS };

// What is found, while it can be changed, and its memory. `found` comes first.
typedef struct finding {
    tac_sensitivity found;
    tac__arena arena;
    tac_sensitivity_param *params;
    tac_sensitivity_result *results;
    double **derivatives, **differences; // of each result
    tac_sensitivity_gap *gaps;
} finding;

typedef struct search {
    const tac_sensitivity_def *def;
    tac__arena *arena;
    finding *own;
    tac_sensitivity *found;
    tac__result *results;
    tac__result when;  // of def->when
    double *duals;     // of all inputs of a result
    size_t runs, done; // of the engine: altogether, so far
    size_t flights;    // of those, how many flew beside
} search;

// --- what a parameter changes before the run -----------------------------------------------------

// The parameter at so many values, each with all that decides how a run begins.
typedef struct around {
    double at[5];         // values of the parameter
    double *starts[5];    // NULL: not looked at
    size_t count;         // doubles of each
    bool central, linear; // linear: only at[1] and at[2], on both sides, were looked at
} around;

static tac_status take_start(const search *s, const tac_param_value *value, tac__arena *arena,
                             size_t *count, double **start, tac_error *err)
{
    tac_engine *e = NULL;
    TAC_TRY(s->def->build(s->def->context, value, 1, 1, &e, err));
    const size_t n = tac__tangents_start(e, NULL);
    *start = tac__arena_array(arena, n + 1, sizeof **start);
    if (*start)
        tac__tangents_start(e, *start);
    tac_engine_destroy(e);
    if (!*start)
        return tac__fail_memory(err);
    if (*count && *count != n)
        return tac__fail(err, TAC_E_CONFIG,
                         "parameter '%s' of '%s' changes what the simulation consists of",
                         value->name, value->component);
    *count = n;
    return TAC_OK;
}

// Steps are powers of two: a value that is the parameter itself then has the slope 1 exactly.
static double step_of(double value, double relative)
{
    return ldexp(1, (value == 0 ? 0 : ilogb(value)) + ilogb(relative));
}

// Slopes of a start value over steps h and 2 h, to order 4.
static double slope_of(const around *a, size_t i)
{
    const double *const *f = (const double *const *)a->starts;
    const double *p = a->at;
    if (a->linear)
        return (f[1][i] - f[2][i]) / (p[1] - p[2]);
    if (a->central) {
        const double one = (f[1][i] - f[0][i]) / (p[1] - p[0]);
        const double two = (f[3][i] - f[2][i]) / (p[3] - p[2]);
        return one + (one - two) / 3;
    }
    double s[4];
    for (int k = 0; k < 4; k++)
        s[k] = (f[k + 1][i] - f[0][i]) / (p[k + 1] - p[0]);
    return s[0] + 3 * (s[0] - s[1]) + 3 * (s[2] - s[1]) + (s[2] - s[3]);
}

// Is every start value a linear function of the parameter, from -2 h over 0 to h and but for
// rounding? The two sides differ in length, so that an odd function like sin does not pass.
static bool is_linear(const around *a, double at, const double *base)
{
    const double *above = a->starts[1], *below = a->starts[2];
    for (size_t i = 0; i < a->count; i++) {
        const double one = (above[i] - base[i]) / (a->at[1] - at);
        const double two = (below[i] - base[i]) / (a->at[2] - at);
        const double rounding = 4 * DBL_EPSILON * fabs(base[i]) / fabs(a->at[1] - at);
        if (!(fabs(one - two) <= rounding))
            return false;
    }
    return true;
}

// Do slopes over h and 2 h agree, but for rounding? A parameter may have a meaning of its own at
// one value, as 0 for "computed from others": there is no derivative.
static bool is_smooth(const around *a, size_t i)
{
    if (a->linear)
        return true;
    const double *const *f = (const double *const *)a->starts;
    const double *p = a->at;
    const int first = 1, second = a->central ? 3 : 2, back = a->central ? 2 : 0;
    const double one = (f[first][i] - f[0][i]) / (p[first] - p[0]);
    const double two = (f[second][i] - f[back][i]) / (p[second] - p[back]);
    const double rounding = 1e-14 * fabs(f[0][i]) / fabs(p[first] - p[0]);
    return fabs(one - two) <= 1e-3 * fmax(fabs(one), fabs(two)) + rounding;
}

static tac_status take_starts(const search *s, const tac_sensitivity_param *p, const double *sides,
                              const int *order, int count, tac__arena *arena, around *a,
                              tac_error *err)
{
    const double h = step_of(p->at.value, 0x1p-11);
    tac_param_value value = p->at;
    for (int i = 0; i < count; i++) {
        const int k = order[i];
        a->at[k] = value.value = p->at.value + sides[k] * h;
        TAC_TRY(take_start(s, &value, arena, &a->count, &a->starts[k], err));
    }
    return TAC_OK;
}

// On both sides, at two values if that will do. `base` are the start values at the parameter's own.
static tac_status look_at_both_sides(const search *s, const tac_sensitivity_param *p,
                                     const double *base, tac__arena *arena, around *a,
                                     tac_error *err)
{
    static const double sides[] = {-1, 1, -2, 2};
    static const int order[] = {1, 2, 0, 3};
    a->central = true;
    TAC_TRY(take_starts(s, p, sides, order, 2, arena, a, err));
    a->linear = is_linear(a, p->at.value, base);
    return a->linear ? TAC_OK : take_starts(s, p, sides, order + 2, 2, arena, a, err);
}

// Values of the parameter: on both sides, or only on one where the other is out of its range.
static tac_status look_around(const search *s, const tac_sensitivity_param *p, const double *base,
                              size_t count, tac__arena *arena, around *a, tac_error *err)
{
    static const double above[] = {0, 1, 2, 3, 4}, below[] = {0, -1, -2, -3, -4};
    static const int order[] = {0, 1, 2, 3, 4};
    *a = (around){.count = count};
    tac_status status = look_at_both_sides(s, p, base, arena, a, err);
    for (int side = 0; side < 2 && (status == TAC_E_RANGE || status == TAC_E_CONFIG); side++) {
        *a = (around){.count = count};
        status = take_starts(s, p, side ? below : above, order, 5, arena, a, err);
    }
    return status;
}

// `base`: the `count` start values of the engine that is going to fly.
static tac_status seed(const search *s, tac__tangents *t, size_t direction, const double *base,
                       size_t count, const tac_sensitivity_param *p, tac_error *err)
{
    tac__arena arena;
    tac__arena_init(&arena, s->arena->allocator);
    around a;
    bool any = false;
    tac_status status = look_around(s, p, base, count, &arena, &a, err);
    double *slopes =
        status == TAC_OK ? tac__arena_array(&arena, a.count + 1, sizeof *slopes) : NULL;
    if (status == TAC_OK && !slopes)
        status = tac__fail_memory(err);
    for (size_t i = 0; status == TAC_OK && i < a.count; i++) {
        slopes[i] = slope_of(&a, i);
        any |= slopes[i] != 0;
        if (!is_smooth(&a, i))
            status = tac__fail(err, TAC_E_CONFIG,
                               "what parameter '%s' changes jumps at its value, or bends: there is "
                               "no derivative by it",
                               p->name);
    }
    if (status == TAC_OK && !any)
        status = tac__fail(err, TAC_E_CONFIG,
                           "parameter '%s' changes nothing that is differentiated: its component "
                           "does not hand it over with tac_declare_numbers, and no initial value "
                           "depends on it",
                           p->name);
    if (status == TAC_OK)
        tac__tangents_seed(t, direction, slopes);
    tac__arena_fini(&arena);
    return status;
}

// --- results of one run --------------------------------------------------------------------------

// Values of the inputs at the present instant of the engine.
static void read_now(const tac__result *r, tac_engine *e)
{
    for (size_t i = 0; i < r->count; i++) {
        tac__result_input *in = &r->inputs[i];
        const void *value = tac_engine_read(e, in->signal);
        in->value = value ? tac__scalar_f64(in->scalar, value, in->element) : (double)NAN;
    }
}

// The duals of the inputs: at the last look inside a step, or at the present instant. False: one
// cannot be evaluated.
static bool read_duals(const tac__result *r, tac__tangents *t, bool inside, bool along,
                       double *duals)
{
    for (size_t i = 0; i < r->count; i++, duals += WIDTH) {
        const tac__result_input *in = &r->inputs[i];
        const size_t signal = (size_t)in->signal;
        memset(duals, 0, WIDTH * sizeof *duals);
        *duals = in->value;
        if (in->scalar != TAC_F64)
            continue;
        const double *from =
            inside ? tac__tangents_seen(t, signal, along) : tac__tangents_signal(t, signal);
        if (!from)
            return false;
        memcpy(duals, from + in->element * WIDTH, WIDTH * sizeof *duals);
    }
    return true;
}

// One run: with tangents, or only for its values.
typedef struct flight {
    const search *s;
    tac_engine *engine;
    tac__tangents *tangents;   // NULL: only values
    double *values;            // of the results
    double (*by)[DIRECTIONS];  // their derivatives
    tac__step_watcher watcher; // of `when`
    uint64_t *islands;
    tac__inside *inside;
    int island;
    bool held; // the condition at the end of the last step
    bool begun;
    bool found, located;
    tac_time t_us;
    tac_status status;
} flight;

static tac_status finish_at_end(flight *f, tac_error *err)
{
    const search *s = f->s;
    f->t_us = tac_engine_time(f->engine);
    for (size_t i = 0; i < s->def->of_count; i++) {
        const tac__result *r = &s->results[i];
        read_now(r, f->engine);
        f->values[i] = tac__result_value(r, f->t_us);
        if (!f->tangents)
            continue;
        if (!read_duals(r, f->tangents, false, false, s->duals))
            return tac__fail(err, TAC_E_NUMERIC, "'%s' cannot be differentiated at the end",
                             r->text);
        for (size_t k = 0; k < r->count; k++) {
            const tac__result_input *in = &r->inputs[k];
            if (in->scalar == TAC_F64 && in->value == in->value && in->value != s->duals[k * WIDTH])
                return tac__fail(err, TAC_E_NUMERIC,
                                 "on dual numbers '%s' has another value than in the run", r->text);
        }
        tac__result_differentiate(r, f->t_us, s->duals, false, f->by[i]);
    }
    return TAC_OK;
}

// --- at a condition ------------------------------------------------------------------------------

static bool read_inside(const flight *f, const tac__result *r, tac_time end_us, tac_time t_us)
{
    if (tac__inside_look(f->inside, end_us, t_us) != TAC_OK)
        return false;
    for (size_t i = 0; i < r->count; i++) {
        tac__result_input *in = &r->inputs[i];
        const tac__watched w = tac__watch_signal(f->engine, in->signal);
        const void *value = in->island >= 0 ? tac__inside_value(f->inside, &w) : w.bus;
        in->value = tac__scalar_f64(in->scalar, value, in->element);
    }
    return true;
}

static bool holds_at(const flight *f, tac_time end_us, tac_time t_us)
{
    return read_inside(f, &f->s->when, end_us, t_us) && tac__result_holds(&f->s->when, t_us);
}

// The first microsecond after `from_us` at which the condition holds, if it does so at t_us.
static tac_time first_held(const flight *f, tac_time end_us, tac_time from_us, tac_time t_us)
{
    while (t_us - from_us > 1) {
        const tac_time middle_us = from_us + (t_us - from_us) / 2;
        if (holds_at(f, end_us, middle_us))
            t_us = middle_us;
        else
            from_us = middle_us;
    }
    return t_us;
}

// How far before the microsecond t_us the condition came true, as a part of one microsecond.
static double early_of(const flight *f, tac_time end_us, tac_time t_us)
{
    const tac__result *when = &f->s->when;
    if (!read_inside(f, when, end_us, t_us - 1))
        return 0;
    const double before = tac__result_value(when, t_us - 1);
    if (!read_inside(f, when, end_us, t_us))
        return 0;
    const double after = tac__result_value(when, t_us);
    const double part = after / (after - before);
    return part >= 0 && part <= 1 ? part : 0;
}

// The derivatives of the instant: dt = -dg / (dg/dt), with g by how much the condition holds.
static tac_status move(flight *f, tac_time t_us, double *moved)
{
    const search *s = f->s;
    const tac__result *when = &s->when;
    TAC_TRY(tac__tangents_look(f->tangents, (size_t)f->island, t_us, false));
    if (!read_duals(when, f->tangents, true, false, s->duals))
        return TAC_E_NUMERIC;
    tac__result_differentiate(when, t_us, s->duals, false, moved);
    TAC_TRY(tac__tangents_look(f->tangents, (size_t)f->island, t_us, true));
    if (!read_duals(when, f->tangents, true, true, s->duals))
        return TAC_E_NUMERIC;
    double rate[DIRECTIONS];
    tac__result_differentiate(when, t_us, s->duals, true, rate);
    for (size_t k = 0; k < DIRECTIONS; k++)
        moved[k] = moved[k] == 0 ? 0 : -moved[k] / rate[0];
    return TAC_OK;
}

static tac_status differentiate_inside(flight *f, const tac__result *r, tac_time t_us,
                                       const double *moved, double *by)
{
    const search *s = f->s;
    double rate[DIRECTIONS];
    TAC_TRY(tac__tangents_look(f->tangents, (size_t)f->island, t_us, false));
    if (!read_duals(r, f->tangents, true, false, s->duals))
        return TAC_E_NUMERIC;
    tac__result_differentiate(r, t_us, s->duals, false, by);
    TAC_TRY(tac__tangents_look(f->tangents, (size_t)f->island, t_us, true));
    if (!read_duals(r, f->tangents, true, true, s->duals))
        return TAC_E_NUMERIC;
    tac__result_differentiate(r, t_us, s->duals, true, rate);
    for (size_t k = 0; k < DIRECTIONS; k++)
        by[k] += rate[0] * moved[k];
    return TAC_OK;
}

// The results at t_us, the first microsecond at which the condition holds.
static tac_status finish_inside(flight *f, tac_time end_us, tac_time t_us)
{
    const search *s = f->s;
    double moved[DIRECTIONS] = {0};
    const double early = f->located ? early_of(f, end_us, t_us) : 0;
    if (f->tangents && f->located) {
        if (!read_inside(f, &s->when, end_us, t_us))
            return TAC_E_NUMERIC;
        TAC_TRY(move(f, t_us, moved));
    }
    for (size_t i = 0; i < s->def->of_count; i++) {
        const tac__result *r = &s->results[i];
        double before = 0;
        if (early > 0 && read_inside(f, r, end_us, t_us - 1))
            before = tac__result_value(r, t_us - 1);
        if (!read_inside(f, r, end_us, t_us))
            return TAC_E_NUMERIC;
        f->values[i] = tac__result_value(r, t_us);
        if (early > 0)
            f->values[i] -= early * (f->values[i] - before);
        if (f->tangents)
            TAC_TRY(differentiate_inside(f, r, t_us, moved, f->by[i]));
    }
    return TAC_OK;
}

enum { PARTS = 8 };

// A step of the island is certain: does the condition come true in it?
static void show_step(void *context, size_t island, tac_time end_us)
{
    flight *f = context;
    (void)island;
    if (f->found || f->status != TAC_OK)
        return;
    const tac_time from_us = tac__inside_from(f->inside);
    tac_time t_us = from_us;
    bool now = holds_at(f, end_us, from_us);
    if (f->begun && now && !f->held) { // a discrete signal changed at the boundary
        f->found = true;
    } else {
        for (tac_time i = 1; !f->found && i <= PARTS; i++) {
            const tac_time next_us = from_us + (end_us - from_us) * i / PARTS;
            const bool next = next_us > t_us && holds_at(f, end_us, next_us);
            f->found = f->located = next && !now;
            t_us = f->found ? first_held(f, end_us, t_us, next_us) : next_us;
            now = next;
        }
    }
    f->begun = true;
    f->held = now;
    if (!f->found)
        return;
    f->t_us = t_us;
    f->status = finish_inside(f, end_us, t_us);
    tac_engine_stop(f->engine);
}

// All that is seen at the condition must belong to one island, or be discrete.
static tac_status find_island(const search *s, int *island, tac_error *err)
{
    *island = -1;
    for (size_t i = 0; i <= s->def->of_count; i++) {
        const tac__result *r = i < s->def->of_count ? &s->results[i] : &s->when;
        for (size_t k = 0; k < r->count; k++) {
            const int own = r->inputs[k].island;
            if (own >= 0 && *island >= 0 && own != *island)
                return tac__fail(err, TAC_E_CONFIG,
                                 "with --when all results and the condition must see the same part "
                                 "of the plant; '%s' sees another one",
                                 r->text);
            *island = own >= 0 ? own : *island;
        }
    }
    if (*island < 0)
        return tac__fail(err, TAC_E_CONFIG,
                         "'%s' sees nothing of the plant: when it becomes true is quantised to "
                         "boundaries and has no derivative",
                         s->when.text);
    return TAC_OK;
}

static tac_status watch(flight *f, tac_error *err)
{
    const search *s = f->s;
    TAC_TRY(find_island(s, &f->island, err));
    const size_t words = tac__watch_island_count(f->engine) / 64 + 1;
    f->islands = tac__arena_array(s->arena, words, sizeof *f->islands);
    f->inside = tac__inside_create(f->engine, s->arena, (size_t)f->island, true);
    if (!f->islands || !f->inside)
        return tac__fail_memory(err);
    f->islands[f->island / 64] |= UINT64_C(1) << f->island % 64;
    f->watcher = (tac__step_watcher){.show = show_step, .context = f, .islands = f->islands};
    tac__watch_steps(f->engine, &f->watcher);
    return TAC_OK;
}

// --- runs ----------------------------------------------------------------------------------------

static tac_status fly(search *s, flight *f, tac_error *err)
{
    if (s->def->when)
        TAC_TRY(watch(f, err));
    s->done++;
    tac_status status = s->def->run(s->def->context, f->engine, s->runs - s->done, err);
    if (status == TAC_E_STOPPED && f->found)
        status = f->status == TAC_OK
                     ? TAC_OK
                     : tac__fail(err, f->status, "the results cannot be evaluated where '%s' holds",
                                 s->when.text);
    else if (status == TAC_OK && s->def->when)
        status =
            tac__fail(err, TAC_E_UNFINISHED, "'%s' does not become true in the run", s->when.text);
    else if (status == TAC_OK)
        status = finish_at_end(f, err);
    return status;
}

static tac_status list_gaps(search *s, const tac_engine *e, const tac__tangents *t, tac_error *err)
{
    tac_sensitivity *found = s->found;
    const size_t count = tac_engine_sizes(e).components;
    if (!s->own->gaps)
        found->gaps = s->own->gaps = tac__arena_array(s->arena, count, sizeof *found->gaps);
    if (!s->own->gaps)
        return tac__fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        tac_time since_us;
        const char *why = tac__tangents_gap(t, i, &since_us);
        const char *name = tac_engine_component_info(e, i).name;
        bool known = !why;
        for (size_t k = 0; !known && k < found->gap_count; k++)
            known = !strcmp(found->gaps[k].component, name);
        if (known)
            continue;
        const char *copy = tac__arena_text(s->arena, name);
        if (!copy)
            return tac__fail_memory(err);
        s->own->gaps[found->gap_count++] = (tac_sensitivity_gap){copy, why, since_us};
    }
    return TAC_OK;
}

// Parameters `first` to `first + count`, one a direction.
static tac_status run_group(search *s, tac_engine *e, size_t first, size_t count, tac_error *err)
{
    tac_sensitivity *found = s->found;
    flight f = {.s = s, .engine = e};
    const size_t starts = tac__tangents_start(e, NULL);
    double *base = tac__arena_array(s->arena, starts + 1, sizeof *base);
    if (!base)
        return tac__fail_memory(err);
    tac__tangents_start(e, base);
    TAC_TRY(tac__tangents_create(e, &f.tangents, err));
    for (size_t k = 0; k < count; k++)
        TAC_TRY(seed(s, f.tangents, k, base, starts, &found->params[first + k], err));
    f.values = tac__arena_array(s->arena, s->def->of_count, sizeof *f.values);
    f.by = tac__arena_array(s->arena, s->def->of_count, sizeof *f.by);
    if (!f.values || !f.by)
        return tac__fail_memory(err);
    TAC_TRY(fly(s, &f, err));
    TAC_TRY(tac__tangents_check(f.tangents, err));
    TAC_TRY(list_gaps(s, e, f.tangents, err));
    found->t_us = f.t_us;
    found->located = f.located;
    for (size_t i = 0; i < s->def->of_count; i++) {
        s->own->results[i].value = f.values[i];
        for (size_t k = 0; k < count; k++)
            s->own->derivatives[i][first + k] = f.by[i][k];
    }
    return TAC_OK;
}

static tac_status run_groups(search *s, tac_engine *base, tac_error *err)
{
    const double begun_s = tac__wall_s();
    const size_t count = s->found->param_count;
    for (size_t first = 0; first < count; first += DIRECTIONS) {
        const size_t n = count - first < DIRECTIONS ? count - first : DIRECTIONS;
        tac_engine *e = base;
        if (first)
            TAC_TRY(s->def->build(s->def->context, NULL, 0, 1, &e, err));
        const tac_status status = run_group(s, e, first, n, err);
        if (first)
            tac_engine_destroy(e);
        TAC_TRY(status);
        s->found->runs++;
    }
    s->found->run_s = tac__wall_s() - begun_s;
    return TAC_OK;
}

static tac_status run_beside(search *s, const tac_param_value *value, double *values,
                             tac_error *err)
{
    flight f = {.s = s, .values = values};
    const double begun_s = tac__wall_s();
    TAC_TRY(s->def->build(s->def->context, value, 1, 0, &f.engine, err));
    const tac_status status = fly(s, &f, err);
    tac_engine_destroy(f.engine);
    s->found->flight_s += tac__wall_s() - begun_s;
    s->flights++;
    return status;
}

static tac_status compare(search *s, tac_error *err)
{
    tac_sensitivity *found = s->found;
    double *low = tac__arena_array(s->arena, found->result_count, sizeof *low);
    double *high = tac__arena_array(s->arena, found->result_count, sizeof *high);
    if (!low || !high)
        return tac__fail_memory(err);
    for (size_t k = 0; k < found->param_count; k++) {
        const tac_param_value *at = &found->params[k].at;
        const double h = step_of(at->value, s->def->step);
        tac_param_value below = *at, above = *at;
        below.value -= h;
        above.value += h;
        tac_status status = run_beside(s, &below, low, err);
        if (status == TAC_OK)
            status = run_beside(s, &above, high, err);
        if (status != TAC_OK && status != TAC_E_RANGE && status != TAC_E_CONFIG)
            return status;
        for (size_t i = 0; i < found->result_count; i++)
            s->own->differences[i][k] =
                status == TAC_OK ? (high[i] - low[i]) / (above.value - below.value) : (double)NAN;
    }
    if (s->flights) // values at the end of a range have none
        found->flight_s /= (double)s->flights;
    return TAC_OK;
}

// --- from the definition -------------------------------------------------------------------------

static tac_status find_params(search *s, const tac_engine *e, tac_error *err)
{
    tac_sensitivity *found = s->found;
    found->param_count = s->def->to_count;
    found->params = s->own->params =
        tac__arena_array(s->arena, found->param_count, sizeof *found->params);
    if (!found->params)
        return tac__fail_memory(err);
    for (size_t i = 0; i < found->param_count; i++)
        TAC_TRY(tac__param_by_name(s->arena, e, s->def->to[i], &s->own->params[i], err));
    return TAC_OK;
}

static tac_status make_result(const search *s, size_t i, tac_error *err)
{
    tac_sensitivity_result *r = &s->own->results[i];
    const size_t n = s->found->param_count;
    r->text = tac__arena_text(s->arena, s->results[i].text);
    r->unit = tac__arena_text(s->arena, s->results[i].unit);
    r->derivatives = s->own->derivatives[i] = tac__arena_array(s->arena, n, sizeof(double));
    if (s->def->compare)
        r->differences = s->own->differences[i] = tac__arena_array(s->arena, n, sizeof(double));
    return r->text && r->unit && r->derivatives && (r->differences || !s->def->compare)
               ? TAC_OK
               : tac__fail_memory(err);
}

static tac_status compile_results(search *s, const tac_engine *e, tac_error *err)
{
    const tac_sensitivity_def *def = s->def;
    size_t most = 1;
    s->results = tac__arena_array(s->arena, def->of_count, sizeof *s->results);
    s->own->results = tac__arena_array(s->arena, def->of_count, sizeof *s->own->results);
    s->own->derivatives = tac__arena_array(s->arena, def->of_count, sizeof(double *));
    s->own->differences = tac__arena_array(s->arena, def->of_count, sizeof(double *));
    if (!s->results || !s->own->results || !s->own->derivatives || !s->own->differences)
        return tac__fail_memory(err);
    s->found->results = s->own->results;
    s->found->result_count = def->of_count;
    if (def->when)
        TAC_TRY(tac__result_compile(s->arena, e, def->when, TAC__EXPR_BOOL, &s->when, err));
    most = s->when.count > most ? s->when.count : most;
    for (size_t i = 0; i < def->of_count; i++) {
        TAC_TRY(
            tac__result_compile(s->arena, e, def->of[i], TAC__EXPR_NUMBER, &s->results[i], err));
        TAC_TRY(make_result(s, i, err));
        most = s->results[i].count > most ? s->results[i].count : most;
    }
    s->duals = tac__arena_array(s->arena, most * WIDTH, sizeof *s->duals);
    return s->duals ? TAC_OK : tac__fail_memory(err);
}

static tac_status find_all(search *s, tac_engine *base, tac_error *err)
{
    const size_t n = s->def->to_count;
    TAC_TRY(find_params(s, base, err));
    TAC_TRY(compile_results(s, base, err));
    s->runs = (n + DIRECTIONS - 1) / DIRECTIONS + (s->def->compare ? 2 * n : 0);
    TAC_TRY(run_groups(s, base, err));
    return s->def->compare ? compare(s, err) : TAC_OK;
}

tac_status tac_sensitivity_find(const tac_sensitivity_def *def, tac_sensitivity **found,
                                tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(def && found);
    *found = NULL;
    TAC__DEF(tac_sensitivity_def, def, err);
    const tac_allocator *a = def->allocator ? def->allocator : tac_allocator_default();
    tac__arena arena;
    tac__arena_init(&arena, a);
    finding *own = tac__arena_alloc(&arena, sizeof *own);
    if (!own)
        return tac__fail_memory(err);
    search s = {.def = def, .arena = &arena, .own = own, .found = &own->found};
    tac_engine *base = NULL;
    tac_status status = def->build(def->context, NULL, 0, 1, &base, err);
    if (status == TAC_OK)
        status = find_all(&s, base, err);
    tac_engine_destroy(base);
    own->arena = arena;
    if (status == TAC_OK)
        *found = &own->found;
    else
        tac_sensitivity_destroy(&own->found);
    return status;
}

void tac_sensitivity_destroy(tac_sensitivity *found)
{
    if (!found)
        return;
    tac__arena arena = ((finding *)found)->arena;
    tac__arena_fini(&arena);
}

// rates.c - see rates.h.
//
// In a period every rate group steps as often as it does in the run, at its own instants; readers
// with another rate see signals through their policies, whose coefficients are constants of the
// graph. What has no period (steps by messages, timers and located conditions, explicit times) does
// not happen in it: its signals hold.
#include "engine/trace/rates.h"

#include <string.h>

enum { BOUNDARIES_MAX = 100000 };
static const tac_time PERIOD_MAX_US = UINT64_C(3600000000);

bool tac__rate_counts(const tac__plan *plan, const tac__item *item)
{
    if (item->kind == TAC__ITEM_OUTPUTS)
        return true;
    return (item->kind == TAC__ITEM_STEP || item->kind == TAC__ITEM_LEAD) &&
           !plan->components[item->index]->observer;
}

// --- the period ---------------------------------------------------------------------------------

static tac_time common_divisor(tac_time a, tac_time b)
{
    while (b) {
        const tac_time rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static bool is_axis(const tac__plan *plan, size_t source)
{
    const tac__source *s = &plan->timeline.sources[source];
    return s->kind == TAC__SOURCE_AXIS && !s->observer;
}

// Has the island a boundary in every period?
static bool is_split(const tac__plan *plan, const tac__island_plan *island)
{
    for (size_t i = 0; i < island->planned_count; i++) {
        if (is_axis(plan, (size_t)island->sources[i]))
            return true;
    }
    return false;
}

static tac_status fail_long(const tac__plan *plan, tac_error *err)
{
    tac__fail(err, TAC_E_GRAPH,
              "the least common period of all rates is too long for a graph: more than %d "
              "boundaries, or an hour; periods are",
              BOUNDARIES_MAX);
    const char *between = " ";
    for (size_t i = 0; i < plan->timeline.own; i++) {
        if (!is_axis(plan, i))
            continue;
        char time[TAC_TIME_TEXT];
        tac_time_print(plan->timeline.sources[i].period_us, time);
        tac__error_append(err, "%s%s", between, time);
        between = ", ";
    }
    return TAC_E_GRAPH;
}

// The least common multiple of all periods. An island without boundaries goes on in steps of a
// fixed length.
static tac_status find_period(const tac__plan *plan, tac_time *period_us, tac_error *err)
{
    tac_time all_us = 1;
    for (size_t i = 0; i < plan->timeline.own && all_us <= PERIOD_MAX_US; i++) {
        const tac_time own_us = plan->timeline.sources[i].period_us;
        if (is_axis(plan, i))
            all_us *= own_us / common_divisor(all_us, own_us);
    }
    for (size_t k = 0; k < plan->island_count && all_us <= PERIOD_MAX_US; k++) {
        const tac_time h_us = plan->def.integrator.h_max_us;
        if (is_split(plan, &plan->islands[k]))
            continue;
        if (plan->method->adaptive)
            return tac__fail(err, TAC_E_GRAPH,
                             "'%s' has no boundary at any rate, and '%s' chooses the length of "
                             "its steps: there is no period; use a method with fixed steps, such "
                             "as rk4, or give the plant a physics axis",
                             plan->islands[k].name, plan->method->name);
        all_us *= h_us / common_divisor(all_us, h_us);
    }
    *period_us = all_us;
    return all_us <= PERIOD_MAX_US ? TAC_OK : fail_long(plan, err);
}

static tac_time next_on(const tac__source *s, tac_time t_us, tac_time period_us)
{
    const tac_time phase_us = s->offset_us % s->period_us;
    const tac_time rest_us = (t_us + s->period_us - phase_us) % s->period_us;
    const tac_time next_us = rest_us ? t_us + s->period_us - rest_us : t_us;
    return next_us < period_us ? next_us : TAC_TIME_NEVER;
}

// The first boundary at or after t_us; TAC_TIME_NEVER: there is none in the period.
static tac_time next_boundary(const tac__plan *plan, tac_time t_us, tac_time period_us)
{
    tac_time first_us = TAC_TIME_NEVER;
    for (size_t i = 0; i < plan->timeline.own; i++) {
        if (!is_axis(plan, i))
            continue;
        const tac_time next_us = next_on(&plan->timeline.sources[i], t_us, period_us);
        first_us = next_us < first_us ? next_us : first_us;
    }
    return first_us;
}

// All that is due with the sources of an instant.
static bool mark(const tac__plan *plan, tac__arena *arena, tac_time t_us, tac__rate_boundary *b)
{
    uint64_t *items = tac__arena_array(arena, plan->item_words, sizeof *items);
    uint64_t *arriving = tac__arena_array(arena, plan->island_words, sizeof *arriving);
    if (!items || !arriving)
        return false;
    for (size_t i = 0; i < plan->timeline.own; i++) {
        const tac__source *s = &plan->timeline.sources[i];
        if (!is_axis(plan, i) || (t_us + s->period_us - s->offset_us % s->period_us) % s->period_us)
            continue;
        const tac__due_row *row = &plan->due_rows[i];
        for (uint32_t k = row->first; k < row->islands; k++)
            items[plan->due[k].word] |= plan->due[k].bits;
        for (uint32_t k = row->islands; k < row->end; k++)
            arriving[plan->due[k].word - plan->item_words] |= plan->due[k].bits;
    }
    *b = (tac__rate_boundary){(int64_t)t_us, items, arriving};
    return true;
}

static tac_status list_boundaries(const tac__plan *plan, tac__arena *arena, tac__rate_period *p,
                                  tac_error *err)
{
    TAC__CAPACITY(tac__rate_boundary) capacity = {0};
    for (tac_time t_us = 0; p->count <= BOUNDARIES_MAX; t_us++) {
        t_us = next_boundary(plan, t_us, p->period_us);
        if (t_us == TAC_TIME_NEVER && p->count)
            return TAC_OK;
        // Without any rate there is one instant, at which islands go on.
        p->without = t_us == TAC_TIME_NEVER;
        if (!TAC__ARENA_GROW(arena, p->boundaries, p->count, capacity) ||
            !mark(plan, arena, p->without ? 0 : t_us, &p->boundaries[p->count++]))
            return tac__fail_memory(err);
        if (p->without)
            return TAC_OK;
    }
    return fail_long(plan, err);
}

// How many islands have no boundary here.
static size_t missing(const tac__plan *plan, const tac__rate_boundary *b)
{
    size_t count = 0;
    for (size_t k = 0; k < plan->island_count; k++)
        count += is_split(plan, &plan->islands[k]) && !tac__has_bit(b->arriving, k);
    return count;
}

// The period begins where as many islands as possible have a boundary.
static bool choose_origin(const tac__plan *plan, tac__arena *arena, tac__rate_period *p)
{
    size_t first = 0;
    for (size_t i = 1; i < p->count; i++) {
        if (missing(plan, &p->boundaries[i]) < missing(plan, &p->boundaries[first]))
            first = i;
    }
    tac__rate_boundary *turned = tac__arena_array(arena, p->count, sizeof *turned);
    if (!turned)
        return false;
    p->origin_us = (tac_time)p->boundaries[first].since_us;
    for (size_t i = 0; i < p->count; i++) {
        const size_t from = (first + i) % p->count;
        turned[i] = p->boundaries[from];
        turned[i].since_us += (from < first ? (int64_t)p->period_us : 0) - (int64_t)p->origin_us;
    }
    p->boundaries = turned;
    return true;
}

// The state of an island at its last boundary that is not after the first one of the period; of an
// island without boundaries, where its last step ended.
static int64_t start_of(const tac__plan *plan, const tac__rate_period *p, size_t island)
{
    const tac_time h_us = plan->def.integrator.h_max_us;
    if (!is_split(plan, &plan->islands[island]))
        return h_us ? -(int64_t)(p->origin_us % h_us) : 0;
    if (tac__has_bit(p->boundaries[0].arriving, island))
        return 0;
    size_t last = p->count - 1;
    while (!tac__has_bit(p->boundaries[last].arriving, island))
        last--;
    return p->boundaries[last].since_us - (int64_t)p->period_us;
}

tac_status tac__rate_period_make(const tac__plan *plan, tac__arena *arena, tac__rate_period *p,
                                 tac_error *err)
{
    *p = (tac__rate_period){.count = 0};
    TAC_TRY(find_period(plan, &p->period_us, err));
    TAC_TRY(list_boundaries(plan, arena, p, err));
    p->starts = tac__arena_array(arena, plan->island_count, sizeof *p->starts);
    if (!p->starts || !choose_origin(plan, arena, p))
        return tac__fail_memory(err);
    for (size_t k = 0; k < plan->island_count; k++)
        p->starts[k] = start_of(plan, p, k);
    return TAC_OK;
}

// Where an integration of an island that begins at a boundary ends: at its next one. A state that a
// period begins with is that of its boundary, so that no integration goes on past the last boundary
// before it.
static int64_t end_of(const tac__rate_period *p, int64_t from_us, size_t island)
{
    for (size_t i = 0; i < p->count; i++) {
        if (p->boundaries[i].since_us > from_us && tac__has_bit(p->boundaries[i].arriving, island))
            return p->boundaries[i].since_us;
    }
    return (int64_t)p->period_us + p->starts[island];
}

uint64_t tac__rate_steps(const tac__plan *plan, const tac__rate_period *p, size_t island)
{
    const tac_time h_us = plan->def.integrator.h_max_us;
    const int64_t to_us = (int64_t)p->period_us + p->starts[island];
    uint64_t steps = 0;
    for (int64_t t_us = p->starts[island]; t_us < to_us;) {
        const int64_t next_us = end_of(p, t_us, island);
        steps += ((uint64_t)(next_us - t_us) + h_us - 1) / h_us;
        t_us = next_us;
    }
    return steps;
}

// --- when signals are written -------------------------------------------------------------------

typedef struct walk {
    tac__sim *sim;
    tac__rate_period period;
    tac__pasts pasts;
} walk;

static bool is_due(const tac__rate_boundary *b, size_t item)
{
    return tac__has_bit(b->items, item);
}

static tac_status check_writer(const tac__trace *tr, const tac__component *c)
{
    if (!c->active_names)
        return TAC_OK;
    return tac__fail_at(tr->err, TAC_E_GRAPH, &c->place,
                        "'%s' is active in some phases only, and its signals are seen through "
                        "delays or policies: when they were written last depends on the phases, so "
                        "that a graph over a period cannot have it; it may stay outside",
                        c->name);
}

// The instants at which a signal with a history is written.
static tac_status time_writes(walk *w, int signal, size_t item)
{
    const tac__rate_period *p = &w->period;
    tac__trace *tr = w->sim->tr;
    int64_t *times = tac__arena_array(&tr->arena, p->count, sizeof *times);
    size_t count = 0;
    if (!times)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < p->count; i++) {
        if (is_due(&p->boundaries[i], item))
            times[count++] = p->boundaries[i].since_us;
    }
    return count ? tac__past_make(tr, &w->pasts, signal, times, count) : TAC_OK;
}

static tac_status time_outputs(walk *w, const tac__component *c, size_t item, bool continuous)
{
    const tac__plan *plan = w->sim->tr->engine->plan;
    for (size_t k = 0; k < c->outputs.count; k++) {
        const int signal = tac__signal_at(c, k);
        if (!plan->schema.signals[signal].history || c->kinds[k].continuous != continuous)
            continue;
        TAC_TRY(check_writer(w->sim->tr, c));
        TAC_TRY(time_writes(w, signal, item));
    }
    return TAC_OK;
}

static tac_status make_pasts(walk *w)
{
    tac__trace *tr = w->sim->tr;
    const tac__plan *plan = tr->engine->plan;
    w->pasts.period_us = (int64_t)w->period.period_us;
    w->pasts.signals = tac__arena_array(&tr->arena, plan->schema.count, sizeof *w->pasts.signals);
    if (!w->pasts.signals)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < plan->item_count; i++) {
        const tac__item *item = &plan->items[i];
        if (!tac__rate_counts(plan, item) || item->kind == TAC__ITEM_LEAD)
            continue;
        if (item->kind == TAC__ITEM_STEP) {
            TAC_TRY(time_outputs(w, plan->components[item->index], i, false));
            continue;
        }
        const tac__island_plan *island = &plan->islands[item->index];
        for (size_t k = 0; k < island->count; k++)
            TAC_TRY(time_outputs(w, plan->components[island->components[k]], i, true));
    }
    w->sim->pasts = &w->pasts;
    return TAC_OK;
}

// --- the boundaries, one after another ----------------------------------------------------------

static tac_status run_item(walk *w, const tac__rate_boundary *b, size_t i)
{
    const tac__plan *plan = w->sim->tr->engine->plan;
    const tac__item *item = &plan->items[i];
    const bool due = is_due(b, i);
    if (!tac__rate_counts(plan, item))
        return TAC_OK;
    if (item->kind == TAC__ITEM_OUTPUTS) { // the graph shows all outputs at its first boundary
        const bool first = b->since_us == 0 && tac__has_bit(b->arriving, item->index);
        return due || first ? tac__sim_outputs(w->sim, item->index, due) : TAC_OK;
    }
    const tac__component *c = plan->components[item->index];
    if (!due)
        return TAC_OK;
    if (tac__sim_has(w->sim, c))
        return tac__sim_step(w->sim, c, item->kind == TAC__ITEM_LEAD ? TAC_DUE_LEAD : TAC_DUE_AXIS);
    return item->kind == TAC__ITEM_LEAD ? TAC_OK : tac__sim_write(w->sim, c);
}

// From a boundary of the island to its next one, in steps of at most h_max.
static tac_status integrate(walk *w, int64_t from_us, size_t island)
{
    const tac__plan *plan = w->sim->tr->engine->plan;
    const int64_t h_us = (int64_t)plan->def.integrator.h_max_us;
    const int64_t to_us = end_of(&w->period, from_us, island);
    for (int64_t t_us = from_us; t_us < to_us;) {
        const int64_t step_us = to_us - t_us > h_us ? h_us : to_us - t_us;
        TAC_TRY(tac__sim_integrate(w->sim, island, t_us, (tac_time)step_us));
        t_us += step_us;
    }
    return from_us < to_us && is_split(plan, &plan->islands[island])
               ? tac__sim_project(w->sim, island)
               : TAC_OK;
}

// Islands that have no boundary at the first one of the period go on from their last one before,
// where the graph shows their outputs.
static tac_status go_on(walk *w)
{
    const tac__plan *plan = w->sim->tr->engine->plan;
    for (int pass = 0; pass < 3; pass++) {
        for (size_t k = 0; k < plan->island_count; k++) {
            if (w->period.starts[k] == 0 && is_split(plan, &plan->islands[k]))
                continue;
            tac__sim_at(w->sim, w->period.starts[k]);
            TAC_TRY(pass == 0   ? tac__sim_outputs(w->sim, k, false)
                    : pass == 1 ? tac__sim_hold(w->sim, k)
                                : integrate(w, w->period.starts[k], k));
        }
    }
    return TAC_OK;
}

// Labels of what there is once at each boundary end in its time.
static tac_status move_to(walk *w, const tac__rate_boundary *b)
{
    tac__trace *tr = w->sim->tr;
    char time[TAC_TIME_TEXT];
    tac_time_print((tac_time)b->since_us, time);
    tr->at = b->since_us ? tac__arena_format(&tr->arena, "@%s", time) : "@0";
    tr->at_us = b->since_us;
    tac__sim_at(w->sim, b->since_us);
    return tr->at ? TAC_OK : TAC_E_MEMORY;
}

static tac_status boundary(walk *w, size_t i)
{
    tac__trace *tr = w->sim->tr;
    const tac__plan *plan = tr->engine->plan;
    const tac__rate_boundary *b = &w->period.boundaries[i];
    TAC_TRY(move_to(w, b));
    for (size_t k = 0; i > 0 && k < plan->island_count; k++) {
        if (tac__has_bit(b->arriving, k))
            TAC_TRY(tac__trace_modes(tr, k));
    }
    for (size_t k = 0; k < plan->item_count; k++)
        TAC_TRY(run_item(w, b, k));
    for (size_t k = 0; k < plan->island_count; k++) {
        if (tac__has_bit(b->arriving, k))
            TAC_TRY(tac__sim_hold(w->sim, k));
    }
    for (size_t k = 0; k < plan->island_count; k++) {
        if (tac__has_bit(b->arriving, k))
            TAC_TRY(integrate(w, b->since_us, k));
    }
    return TAC_OK;
}

tac_status tac__trace_rates(tac__sim *sim)
{
    tac__trace *tr = sim->tr;
    walk w = {.sim = sim};
    tr->whole = true;
    TAC_TRY(tac__rate_period_make(tr->engine->plan, &tr->arena, &w.period, tr->err));
    tr->graph->period_us = w.period.period_us;
    tr->starts = w.period.starts;
    TAC_TRY(make_pasts(&w));
    TAC_TRY(tac__sim_begin(sim));
    TAC_TRY(go_on(&w));
    for (size_t i = 0; i < w.period.count; i++)
        TAC_TRY(boundary(&w, i));
    return tac__sim_end(sim);
}

// check_rates.c - the graph over a least common period against a run: what the run has before a
// period goes into the graph, with what was decided, drawn and written by others on the way, and
// what it has after the period is compared.
//
// A period in which something happens that is not part of the graph (a message, a timer, a located
// condition, another step of the integrator, a change of phase) is left out, and counted. All are
// where a component of the plant has no symbolic form: the graph has it at one instant only.
#include "engine/trace/check.h"
#include "engine/trace/rates.h"

#include <string.h>

// An input of the graph.
typedef struct fixed {
    size_t group, number;
} fixed;

struct tac__period_check {
    tac_engine *engine;
    tac_graph_report *report;
    tac__rate_period period;
    tac__evaluated e;
    bool *inside;  // of each component: it steps in the graph
    bool partial;  // a component of the plant stays outside
    bool open;     // a period is under way
    bool regular;  // nothing happened in it so far that is not part of the graph
    bool arriving; // the graph was evaluated, and the states that it gave are those of this instant
    tac_time start_us;
    uint64_t boundaries, *steps; // counters of the run when the period began; steps of each island
    uint64_t *planned;           // steps of each island in a period
    size_t decided, draws, seen; // how many there were so far in this period
    double *saw;                 // what readers saw across rates
    double *y;                   // outputs of the plant at the first boundary
    bool *y_known;               // these were there
    double *x;                   // states of islands that have no boundary where the period begins
    bool went_on;                // these are known
    fixed *fixed;                // inputs that must not change in the period
    size_t fixed_count;
};

// Groups by name; -1: the graph has no such group.
static int in_group(const tac__period_check *k, const char *name)
{
    return tac_graph_find_in(k->e.graph, name);
}

static int out_group(const tac__period_check *k, const char *name)
{
    return tac_graph_find_out(k->e.graph, name);
}

// --- a period begins ----------------------------------------------------------------------------

// Have all recent values that the graph begins with been written?
static bool is_steady(const tac__period_check *k)
{
    const int g = in_group(k, "past");
    for (size_t i = 0; g >= 0 && i < k->e.graph->in[g].count; i++) {
        const tac__trace_source *s = &k->e.sources.in[g][i];
        if (*s->history->writes <= s->lag)
            return false;
    }
    return true;
}

// The sources of a boundary, before or after it.
static void read_sources(tac__period_check *k, int64_t at_us, bool after)
{
    for (size_t g = 0; g < k->e.graph->in_count; g++) {
        for (size_t i = 0; i < k->e.graph->in[g].count; i++) {
            const tac__trace_source *s = &k->e.sources.in[g][i];
            if (s->after == after && s->at_us == at_us && (s->value || s->history))
                k->e.in[g][i] = tac__trace_read_one(s, 0);
        }
    }
}

static void open_period(tac__period_check *k, tac_time t_us)
{
    k->open = k->regular = is_steady(k) && k->went_on;
    k->went_on = true;
    if (!k->open)
        return;
    k->regular = !k->partial;
    k->start_us = t_us;
    k->decided = k->draws = k->seen = 0;
    const int x = in_group(k, "x");
    memcpy(k->e.in[x], k->x, k->e.graph->in[x].count * sizeof *k->x);
    read_sources(k, 0, false);
    k->e.in[in_group(k, "t")][0] = (double)t_us;
    k->boundaries = k->engine->clock->boundaries;
    for (size_t i = 0; i < k->engine->plan->island_count; i++)
        k->steps[i] = k->engine->islands[i].state->steps;
}

// --- on the way ---------------------------------------------------------------------------------

static double *next_in(tac__period_check *k, const char *name, size_t *used, size_t count)
{
    const int g = in_group(k, name);
    const bool fits = g >= 0 && *used + count <= k->e.graph->in[g].count;
    double *to = fits ? k->e.in[g] + *used : NULL;
    *used += count;
    k->regular &= fits;
    return to;
}

static void see_inputs(tac__period_check *k, const tac__component *c, const tac_step *s)
{
    const int g = out_group(k, "rates");
    const tac__plan *plan = k->engine->plan;
    for (size_t i = 0; i < c->inputs.count; i++) {
        const tac_type *type = &c->inputs.items[i].type;
        if (!tac__sim_crosses(plan, c, &c->in[i]))
            continue;
        if (g < 0 || k->seen + type->count > k->e.graph->out[g].count) {
            k->regular = false;
            return;
        }
        for (uint32_t n = 0; n < type->count; n++)
            k->saw[k->seen++] = tac__scalar_f64(type->scalar, s->in[i], n);
    }
}

void tac__period_step(tac__period_check *k, const tac__component *c, const tac_step *s,
                      const double *decided, const double *drawn, size_t drawn_count)
{
    if (!k->open || c->observer)
        return;
    if (!(s->due & (TAC_DUE_AXIS | TAC_DUE_LEAD)))
        k->regular = false;
    if (!k->inside[c->index])
        return;
    see_inputs(k, c, s);
    double *to = c->decision_count ? next_in(k, "decided", &k->decided, c->decision_count) : NULL;
    if (to)
        memcpy(to, decided, c->decision_count * sizeof *to);
    to = drawn_count ? next_in(k, "draws", &k->draws, drawn_count) : NULL;
    if (to)
        memcpy(to, drawn, drawn_count * sizeof *to);
}

// --- a period ends ------------------------------------------------------------------------------

// Has something changed that is constant in the graph: signals that are written at none of its
// boundaries, phases, what inactive components keep?
static bool has_changed(const tac__period_check *k)
{
    for (size_t i = 0; i < k->fixed_count; i++) {
        const fixed *f = &k->fixed[i];
        const double was = k->e.in[f->group][f->number];
        const double is = tac__trace_read_one(&k->e.sources.in[f->group][f->number], 0);
        if (is != was && (is == is || was == was))
            return true;
    }
    return false;
}

// Was the run at the boundaries of the graph, with its steps, and at no others?
static bool is_as_planned(const tac__period_check *k)
{
    const tac__plan *plan = k->engine->plan;
    bool same =
        k->engine->clock->boundaries - k->boundaries == (k->period.without ? 0 : k->period.count);
    for (size_t i = 0; i < plan->island_count; i++)
        same &= k->engine->islands[i].state->steps - k->steps[i] == k->planned[i];
    const int decided = in_group(k, "decided"), draws = in_group(k, "draws");
    const int seen = out_group(k, "rates");
    same &= k->decided == (decided < 0 ? 0 : k->e.graph->in[decided].count);
    same &= k->draws == (draws < 0 ? 0 : k->e.graph->in[draws].count);
    same &= k->seen == (seen < 0 ? 0 : k->e.graph->out[seen].count);
    return same && !has_changed(k);
}

// Has the engine the outputs of an island as they are in stage 3 of its boundary at t_us? Where
// nothing reads them, they are evaluated from inputs that were written since. An island without a
// boundary keeps its inputs. Where a period begins between boundaries of an island, the engine had
// its outputs earlier.
static bool has_outputs(const tac__period_check *k, size_t island, tac_time t_us)
{
    const tac__island *i = &k->engine->islands[island];
    return k->period.starts[island] == 0 &&
           (i->state->outputs_us == t_us || i->state->at_us != t_us);
}

static void read_outputs(tac__period_check *k, tac_time t_us)
{
    const tac__plan *plan = k->engine->plan;
    size_t n = 0;
    for (size_t i = 0; i < plan->component_count; i++) {
        const tac__component *c = plan->components[i];
        for (size_t o = 0; c->island >= 0 && o < c->outputs.count; o++) {
            const tac_type *type = &c->outputs.items[o].type;
            if (!c->kinds[o].continuous)
                continue;
            const void *value = has_outputs(k, (size_t)c->island, t_us)
                                    ? tac_engine_read(k->engine, tac__signal_at(c, o))
                                    : NULL;
            for (uint32_t e = 0; e < type->count; e++, n++) {
                k->y_known[n] = value;
                k->y[n] = value ? tac__scalar_f64(type->scalar, value, e) : 0;
            }
        }
    }
}

static void compare_outputs(tac__period_check *k, tac_time t_us)
{
    const int g = out_group(k, "y");
    for (size_t i = 0; i < k->e.graph->out[g].count; i++) {
        if (!k->y_known[i])
            k->y[i] = k->e.out[g][i];
    }
    tac__check_compare(k->report, "period", &k->e.graph->out[g], k->e.out[g], k->y, t_us);
}

static void compare_group(tac__period_check *k, const char *name, tac_time t_us)
{
    const int g = out_group(k, name);
    if (g < 0)
        return;
    const tac__group *group = &k->e.graph->out[g];
    tac__trace_read(k->e.sources.out[g], group->count, 0, k->e.expected);
    tac__check_compare(k->report, "period", group, k->e.out[g], k->e.expected, t_us);
}

static void close_period(tac__period_check *k, tac_time t_us)
{
    k->open = false;
    if (!k->regular || !is_as_planned(k)) {
        k->report->periods_left_out++;
        return;
    }
    tac__evaluated_run(&k->e);
    compare_group(k, "z1", t_us);
    compare_group(k, "s1", t_us);
    compare_group(k, "past1", t_us);
    compare_outputs(k, t_us);
    const int g = out_group(k, "rates");
    if (g >= 0)
        tac__check_compare(k->report, "period", &k->e.graph->out[g], k->e.out[g], k->saw, t_us);
    k->report->periods++;
    k->arriving = true;
}

// --- the run ------------------------------------------------------------------------------------

void tac__period_before(tac__period_check *k, tac_time t_us)
{
    k->arriving = false;
    if (t_us < k->period.origin_us || (t_us - k->period.origin_us) % k->period.period_us)
        return;
    if (k->open)
        close_period(k, t_us);
    open_period(k, t_us);
}

// States of islands that have no boundary where a period begins: those of their last one before.
static void keep_states(tac__period_check *k, int64_t since_us)
{
    const int x = in_group(k, "x");
    for (size_t i = 0; i < k->e.graph->in[x].count; i++) {
        const tac__trace_source *s = &k->e.sources.in[x][i];
        if (s->at_us < 0 && s->at_us + (int64_t)k->period.period_us == since_us)
            k->x[i] = tac__trace_read_one(s, 0);
    }
}

// The others are those of the period's end when they have arrived there.
static void compare_states(tac__period_check *k, tac_time t_us)
{
    const int g = out_group(k, "x1"), x = in_group(k, "x");
    for (size_t i = 0; i < k->e.graph->out[g].count; i++) {
        const bool late = k->e.sources.in[x][i].at_us < 0;
        k->e.expected[i] = late ? k->x[i] : tac__trace_read_one(&k->e.sources.out[g][i], 0);
    }
    tac__check_compare(k->report, "period", &k->e.graph->out[g], k->e.out[g], k->e.expected, t_us);
}

void tac__period_after(tac__period_check *k, tac_time t_us)
{
    if (k->arriving)
        compare_states(k, t_us);
    if (t_us >= k->period.origin_us)
        keep_states(k, (int64_t)((t_us - k->period.origin_us) % k->period.period_us));
    if (k->open)
        read_sources(k, (int64_t)(t_us - k->start_us), true);
    if (k->open && k->regular && t_us == k->start_us)
        read_outputs(k, t_us);
}

// --- making -------------------------------------------------------------------------------------

// Is the signal of a source written at a boundary of the graph?
static bool is_written(const tac__period_check *k, size_t g, const tac__trace_source *s)
{
    for (size_t i = 0; i < k->e.graph->in[g].count; i++) {
        const tac__trace_source *other = &k->e.sources.in[g][i];
        if (other->after && other->value == s->value && other->element == s->element)
            return true;
    }
    return false;
}

static tac_status list_fixed(tac__period_check *k, tac__arena *arena)
{
    static const char *const names[] = {"u", "phase", "held"};
    TAC__CAPACITY(fixed) capacity = {0};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        const int g = in_group(k, names[n]);
        for (size_t i = 0; g >= 0 && i < k->e.graph->in[g].count; i++) {
            const tac__trace_source *s = &k->e.sources.in[g][i];
            if (s->after || !s->value || is_written(k, (size_t)g, s))
                continue;
            if (!TAC__ARENA_GROW(arena, k->fixed, k->fixed_count, capacity))
                return TAC_E_MEMORY;
            k->fixed[k->fixed_count++] = (fixed){(size_t)g, i};
        }
    }
    return TAC_OK;
}

// How many steps islands take in a period.
static void plan_steps(const tac__period_check *k)
{
    const tac__plan *plan = k->engine->plan;
    for (size_t i = 0; i < plan->island_count; i++)
        k->planned[i] = plan->islands[i].x_count ? tac__rate_steps(plan, &k->period, i) : 0;
}

static tac_status make(tac__period_check *k, const tac_graph_def *def, tac__arena *arena,
                       tac_error *err)
{
    const tac__plan *plan = k->engine->plan;
    TAC_TRY(tac__rate_period_make(plan, arena, &k->period, err));
    k->e.sources.arena = arena;
    TAC_TRY(tac__trace_of_step(k->engine, def, &k->e.graph, &k->e.sources, err));
    TAC_TRY(tac__evaluated_make(arena, &k->e, err));
    const int seen = out_group(k, "rates");
    const size_t seen_count = seen < 0 ? 0 : k->e.graph->out[seen].count;
    const size_t y_count = k->e.graph->out[out_group(k, "y")].count;
    k->inside = tac__arena_array(arena, plan->component_count, sizeof *k->inside);
    k->steps = tac__arena_array(arena, plan->island_count, sizeof *k->steps);
    k->planned = tac__arena_array(arena, plan->island_count, sizeof *k->planned);
    k->saw = tac__arena_array(arena, seen_count, sizeof *k->saw);
    k->y = tac__arena_array(arena, y_count, sizeof *k->y);
    k->y_known = tac__arena_array(arena, y_count, sizeof *k->y_known);
    k->x = tac__arena_array(arena, k->e.graph->in[in_group(k, "x")].count, sizeof *k->x);
    if (!k->inside || !k->steps || !k->planned || !k->saw || !k->y || !k->y_known || !k->x ||
        list_fixed(k, arena) != TAC_OK)
        return tac__fail_memory(err);
    for (size_t i = 0; i < plan->component_count; i++) {
        const tac__component *c = plan->components[i];
        k->inside[i] =
            c->type->kernels[TAC_SYMBOLS].step && !(c->type->flags & TAC_COMPONENT_OUTSIDE);
        k->partial |= c->island >= 0 && !tac__trace_can_evaluate(c);
    }
    plan_steps(k);
    k->went_on = true;
    for (size_t i = 0; i < plan->island_count; i++)
        k->went_on &= k->period.starts[i] == 0;
    k->report->period_us = k->period.period_us;
    k->report->period_terms = tac__graph_pool(k->e.graph)->count;
    return TAC_OK;
}

tac_status tac__period_check_make(tac_engine *engine, const tac_graph_def *def, tac__arena *arena,
                                  tac_graph_report *report, tac__period_check **made,
                                  tac_error *err)
{
    tac__period_check *k = *made = tac__arena_alloc(arena, sizeof *k);
    if (!k)
        return tac__fail_memory(err);
    *k = (tac__period_check){.engine = engine, .report = report};
    return make(k, def, arena, err);
}

void tac__period_check_end(tac__period_check *k)
{
    tac_graph_destroy(k->e.graph);
}

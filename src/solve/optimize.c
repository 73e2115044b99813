// optimize.c - the best trajectory of a plant: from the section of a configuration to a nonlinear
// program, and its solution.
//
// Variables are all states, and the inputs that some phase names; where a phase sets an input or
// says nothing of it, the input is fixed there. Rates of change, conditions and the objective are
// terms of the plant's graph, so that all derivatives are exact.
#include "solve/optimize.h"
#include "engine/watch.h"

#include <math.h>
#include <string.h>

enum { POINT, START, END };

// --- variables ----------------------------------------------------------------------------------

static tac_status find_item(const tac_optimum *o, const tac__trim_item *item, bool states,
                            tac__range *range, tac_error *err)
{
    if (!tac__plant_find(o->plant, item->name, range))
        return tac__plant_fail_name(o->plant, "unknown state or input", item->name, &item->place,
                                    false, err);
    if (range->kind == TAC__OUTPUT || (range->kind == TAC__STATE && !states))
        return tac__fail_at(err, TAC_E_CONFIG, &item->place,
                            "'%s' is no input; write a condition for it", item->name);
    return TAC_OK;
}

static tac_status mark_inputs(const tac_optimum *o, const tac__trim_item *items, size_t count,
                              bool states, bool *used, tac_error *err)
{
    for (size_t i = 0; i < count; i++) {
        tac__range r;
        TAC_TRY(find_item(o, &items[i], states, &r, err));
        for (size_t k = 0; r.kind == TAC__INPUT && k < r.count; k++)
            used[r.first + k] = true;
    }
    return TAC_OK;
}

// The inputs that some phase names are variables; the others keep their values.
static tac_status choose_inputs(tac_optimum *o, const tac__optimize_def *def, tac_error *err)
{
    const tac__plant *p = o->plant;
    bool *used = tac__arena_array(&o->arena, p->u_count, sizeof *used);
    const size_t n = p->x_count;
    o->inputs = tac__arena_array(&o->arena, p->u_count, sizeof *o->inputs);
    o->z_terms = tac__arena_array(&o->arena, n + p->u_count + 1, sizeof *o->z_terms);
    o->rest_terms = tac__arena_array(&o->arena, p->u_count, sizeof *o->rest_terms);
    o->rest = tac__arena_array(&o->arena, p->u_count, sizeof *o->rest);
    o->u_scale = tac__arena_array(&o->arena, p->u_count, sizeof *o->u_scale);
    if (!used || !o->inputs || !o->z_terms || !o->rest_terms || !o->rest || !o->u_scale)
        return tac__fail_memory(err);
    for (size_t k = 0; k < def->phase_count; k++) {
        const tac__optimize_phase *w = &def->phases[k];
        TAC_TRY(mark_inputs(o, w->set, w->set_count, false, used, err));
        TAC_TRY(mark_inputs(o, w->free, w->free_count, true, used, err));
    }
    memcpy(o->z_terms, p->z_terms, n * sizeof *o->z_terms);
    for (size_t i = 0; i < p->u_count; i++) {
        if (used[i]) {
            o->z_terms[n + o->input_count] = p->z_terms[n + i];
            o->inputs[o->input_count++] = i;
        } else {
            o->rest_terms[o->rest_count] = p->z_terms[n + i];
            o->rest[o->rest_count++] = p->u0[i];
        }
    }
    o->z_terms[n + o->input_count] = p->z_terms[n + p->u_count];
    return TAC_OK;
}

// Values of states where the first phase begins, and of inputs.
static tac_status read_start(tac_optimum *o, const tac__optimize_def *def, tac_error *err)
{
    tac__plant *p = o->plant;
    const size_t n = p->x_count;
    o->first = tac__arena_array(&o->arena, n, sizeof *o->first);
    o->first_lower = tac__arena_array(&o->arena, n, sizeof *o->first_lower);
    o->first_upper = tac__arena_array(&o->arena, n, sizeof *o->first_upper);
    o->x_scale = tac__arena_array(&o->arena, n, sizeof *o->x_scale);
    if (!o->first || !o->first_lower || !o->first_upper || !o->x_scale)
        return tac__fail_memory(err);
    for (size_t k = 0; k < def->set_count; k++) {
        tac__range r;
        TAC_TRY(find_item(o, &def->set[k], true, &r, err));
        for (size_t i = 0; i < r.count; i++) {
            const bool state = r.kind == TAC__STATE;
            double *to = (state ? p->x0 : p->u0) + r.first + i;
            TAC_TRY(tac__read_quantity(def->set[k].value, (state ? p->x : p->u) + r.first + i, i,
                                       r.count, to, err));
        }
    }
    for (size_t i = 0; i < n; i++) {
        bool open = false;
        for (size_t k = 0; k < def->open_count; k++)
            open |= tac__quantity_matches(tac_node_text(def->open[k]), &p->x[i]);
        o->first[i] = p->x0[i];
        o->first_lower[i] = open ? -HUGE_VAL : p->x0[i];
        o->first_upper[i] = open ? HUGE_VAL : p->x0[i];
        o->x_scale[i] = p->x[i].scale;
    }
    return TAC_OK;
}

// --- phases -------------------------------------------------------------------------------------

// The place of a state or input among bounds; SIZE_MAX: it is no variable.
static size_t place_of(const tac_optimum *o, tac__range r, size_t i)
{
    if (r.kind == TAC__STATE)
        return r.first + i;
    for (size_t k = 0; k < o->input_count; k++) {
        if (o->inputs[k] == r.first + i)
            return o->plant->x_count + k;
    }
    return SIZE_MAX;
}

static tac_status read_bounds(const tac_optimum *o, const tac__optimum_phase *p,
                              const tac__trim_item *item, bool set, tac_error *err)
{
    tac__range r;
    TAC_TRY(find_item(o, item, !set, &r, err));
    const tac__quantity *list = (r.kind == TAC__STATE ? o->plant->x : o->plant->u) + r.first;
    for (size_t i = 0; i < r.count; i++) {
        const size_t at = place_of(o, r, i);
        if (set) {
            TAC_TRY(tac__read_quantity(item->value, &list[i], i, r.count, &p->guess[at], err));
            p->lower[at] = p->upper[at] = p->guess[at];
            continue;
        }
        p->lower[at] = -HUGE_VAL;
        p->upper[at] = HUGE_VAL;
        if (item->min)
            TAC_TRY(tac__read_quantity(item->min, &list[i], i, r.count, &p->lower[at], err));
        if (item->max)
            TAC_TRY(tac__read_quantity(item->max, &list[i], i, r.count, &p->upper[at], err));
        if (item->guess)
            TAC_TRY(tac__read_quantity(item->guess, &list[i], i, r.count, &p->guess[at], err));
        if (!(p->lower[at] <= p->upper[at]))
            return tac__fail_at(err, TAC_E_RANGE, &item->place,
                                "'%s' has its lower bound above its upper bound", list[i].name);
    }
    return TAC_OK;
}

// Bounds and guesses; `before` is the phase before, NULL: none.
static tac_status bound(tac_optimum *o, tac__optimum_phase *p, const tac__optimum_phase *before,
                        tac_error *err)
{
    const size_t n = o->plant->x_count, width = n + o->input_count;
    p->lower = tac__arena_array(&o->arena, width, sizeof *p->lower);
    p->upper = tac__arena_array(&o->arena, width, sizeof *p->upper);
    p->guess = tac__arena_array(&o->arena, width, sizeof *p->guess);
    if (!p->lower || !p->upper || !p->guess)
        return tac__fail_memory(err);
    for (size_t i = 0; i < width; i++) {
        p->guess[i] = i >= n   ? o->plant->u0[o->inputs[i - n]]
                      : before ? before->guess[i]
                               : o->first[i];
        p->lower[i] = i < n ? -HUGE_VAL : p->guess[i];
        p->upper[i] = i < n ? HUGE_VAL : p->guess[i];
    }
    const tac__optimize_phase *w = p->written;
    for (size_t i = 0; i < w->set_count; i++)
        TAC_TRY(read_bounds(o, p, &w->set[i], true, err));
    for (size_t i = 0; i < w->free_count; i++)
        TAC_TRY(read_bounds(o, p, &w->free[i], false, err));
    return TAC_OK;
}

// A function of a point: of states, inputs and time.
static tac_status make_function(tac_optimum *o, const int32_t *terms, size_t count,
                                tac_graph **graph, tac__graph_function **function, tac_error *err)
{
    const tac__plant *p = o->plant;
    const double *const values[] = {NULL, o->rest, p->mode};
    TAC_TRY(tac__graph_create(o->allocator, "optimize", false, p->graph, graph, err));
    if (!tac__graph_add_input(*graph, "z", p->x_count + o->input_count + 1, o->z_terms) ||
        !tac__graph_add_input(*graph, "rest", o->rest_count, o->rest_terms) ||
        !tac__graph_add_input(*graph, "mode", p->mode_count, p->mode_terms) ||
        !tac__graph_add_output(*graph, "y", count, terms))
        return tac__fail_memory(err);
    return tac__graph_function_make(*graph, "y", "z", values, true, &o->arena, function, err);
}

static tac_status make_conditions(tac_optimum *o, tac__optimum_phase *p, int which,
                                  const tac_node *const *list, size_t count, const int32_t *before,
                                  size_t before_count, int32_t after, tac_error *err)
{
    int32_t *terms = tac__arena_array(&o->arena, before_count + count + 1, sizeof *terms);
    p->g_lower[which] = tac__arena_array(&o->arena, count, sizeof(double));
    p->g_upper[which] = tac__arena_array(&o->arena, count, sizeof(double));
    if (!terms || !p->g_lower[which] || !p->g_upper[which])
        return tac__fail_memory(err);
    if (before_count)
        memcpy(terms, before, before_count * sizeof *terms);
    for (size_t i = 0; i < count; i++) {
        tac__condition_terms c;
        TAC_TRY(tac__condition_term(o->plant, list[i], &o->arena, &c, err));
        terms[before_count + i] = c.term;
        p->g_lower[which][i] = c.lower;
        p->g_upper[which][i] = c.upper;
    }
    size_t all = before_count + count;
    if (after >= 0)
        terms[all++] = after;
    if (!all)
        return TAC_OK;
    return make_function(o, terms, all, &p->graphs[which], &p->functions[which], err);
}

static tac__at_point end_of(const tac__optimum_phase *p, int which)
{
    return (tac__at_point){p->functions[which] ? tac__graph_function_of(p->functions[which]) : NULL,
                           p->g_lower[which], p->g_upper[which]};
}

static tac_status make_phase(tac_optimum *o, size_t k, int32_t cost, tac_error *err)
{
    tac__optimum_phase *p = &o->phases[k];
    const tac__optimize_phase *w = p->written;
    const size_t n = o->plant->x_count;
    TAC_TRY(bound(o, p, k ? p - 1 : NULL, err));
    TAC_TRY(make_conditions(o, p, POINT, w->path, w->path_count, o->plant->w_terms, n, cost, err));
    TAC_TRY(make_conditions(o, p, START, w->start, w->start_count, NULL, 0, -1, err));
    TAC_TRY(make_conditions(o, p, END, w->end, w->end_count, NULL, 0, -1, err));
    o->phase_defs[k] = (tac__phase_def){.intervals = w->intervals,
                                        .point = tac__graph_function_of(p->functions[POINT]),
                                        .paths = w->path_count,
                                        .cost = cost >= 0,
                                        .path_lower = p->g_lower[POINT],
                                        .path_upper = p->g_upper[POINT],
                                        .start = end_of(p, START),
                                        .end = end_of(p, END),
                                        .least_s = w->least_s,
                                        .most_s = w->most_s,
                                        .guess_s = w->guess_s,
                                        .x_lower = p->lower,
                                        .x_upper = p->upper,
                                        .u_lower = p->lower + n,
                                        .u_upper = p->upper + n,
                                        .x_begin = k ? p[-1].guess : o->first,
                                        .x_end = p->guess,
                                        .u_guess = p->guess + n};
    return TAC_OK;
}

// --- solving ------------------------------------------------------------------------------------

// Negated where the most is wanted.
static tac_status make_objective(tac_optimum *o, const tac__optimize_def *def, int32_t *cost,
                                 tac_error *err)
{
    tac__terms *pool = tac__graph_pool(o->plant->graph);
    *cost = -1;
    const char *unit;
    if (def->integral) {
        TAC_TRY(tac__number_term(o->plant, def->integral, &o->arena, cost, &unit, err));
        if (def->maximize)
            *cost = tac__term_make(pool, TAC__SYM_neg, *cost, *cost, *cost);
    }
    if (!def->objective)
        return TAC_OK;
    int32_t term;
    o->objective_text = tac_node_text(def->objective);
    TAC_TRY(tac__number_term(o->plant, def->objective, &o->arena, &term, &o->objective_unit, err));
    if (def->maximize)
        term = tac__term_make(pool, TAC__SYM_neg, term, term, term);
    return make_function(o, &term, 1, &o->objective_graph, &o->objective, err);
}

// The method sees a thousand times the objective. The derivative by the input at one of many points
// is small even far from the optimum; not scaled, it passes for 0, the barrier is reduced too
// early, and the search creeps along: examples/iris_minimum_time.yaml with 50 intervals and linear
// inputs had no solution after 1000 iterations, with the scale it has one after some 300.
static const double OBJECTIVE_SCALE = 1e-3;

// One search, on the present intervals. From the guess, or from a solution with other intervals.
static tac_status search(tac_optimum *o, const tac__optimize_def *def, tac_error *err)
{
    double all_s = 0;
    for (size_t k = 0; k < o->phase_count; k++)
        all_s += o->phase_defs[k].guess_s;
    const tac__collocation_def c = {.states = o->plant->x_count,
                                    .inputs = o->input_count,
                                    .phase_count = o->phase_count,
                                    .phases = o->phase_defs,
                                    .x_scale = o->x_scale,
                                    .u_scale = o->u_scale,
                                    .t_scale = all_s,
                                    .first_lower = o->first_lower,
                                    .first_upper = o->first_upper,
                                    .t_s = o->plant->t_s,
                                    .objective =
                                        o->objective ? tac__graph_function_of(o->objective) : NULL,
                                    .objective_scale = OBJECTIVE_SCALE,
                                    .linear = def->linear,
                                    .smoothing = def->smoothing};
    const tac__collocation *before = o->collocation;
    const double *before_z = o->z;
    TAC_TRY(tac__collocation_make(&c, &o->arena, &o->collocation, err));
    o->z = tac__collocation_guess(o->collocation);
    if (before)
        tac__collocation_take(o->collocation, before, before_z);
    tac__nlp_options options = {.tolerance = def->tolerance,
                                .iterations = def->iterations,
                                .near = before != NULL,
                                .watch = def->watch,
                                .context = def->context};
    TAC_TRY(tac__ipopt_solve(tac__collocation_nlp(o->collocation), &options, &o->arena, o->z,
                             &o->result, err));
    o->iterations += o->result.iterations;
    if (before && !o->result.solved && !o->result.stopped) { // the same guess, but as if far away
        options.near = false;
        tac__collocation_take(o->collocation, before, before_z);
        TAC_TRY(tac__ipopt_solve(tac__collocation_nlp(o->collocation), &options, &o->arena, o->z,
                                 &o->result, err));
        o->iterations += o->result.iterations;
    }
    o->roughness = tac__collocation_roughness(o->collocation, o->z);
    const double value = o->result.objective - o->roughness;
    o->value = def->maximize ? -value : value;
    for (size_t k = 0; k < o->phase_count; k++)
        o->phases[k].error = tac__phase_error(o->collocation, o->z, k);
    if (o->result.solved)
        return TAC_OK;
    return tac__fail_at(err, TAC_E_UNSOLVED, &def->place,
                        "no optimum: %s, after %d iterations; constraints are met to %.3g",
                        o->result.reason, o->iterations, o->result.infeasibility);
}

enum { MOST_INTERVALS = 10000 };

// Halve the intervals whose error is too large. `*any`: there are some.
static tac_status refine(tac_optimum *o, const tac__optimize_def *def, bool *any, tac_error *err)
{
    tac__phase_def *defs = tac__arena_array(&o->arena, o->phase_count, sizeof *defs);
    if (!defs)
        return tac__fail_memory(err);
    *any = false;
    for (size_t k = 0; k < o->phase_count; k++) {
        const size_t count = o->phase_defs[k].intervals;
        double *mesh = tac__arena_array(&o->arena, 2 * count + 1, sizeof *mesh);
        if (!mesh)
            return tac__fail_memory(err);
        defs[k] = o->phase_defs[k];
        defs[k].intervals = 0;
        for (size_t i = 0; i < count; i++) {
            mesh[defs[k].intervals++] = tac__phase_part(o->collocation, k, 2 * i);
            if (count > MOST_INTERVALS / 2 ||
                tac__interval_error(o->collocation, o->z, k, i) <= def->accuracy)
                continue;
            mesh[defs[k].intervals++] = tac__phase_part(o->collocation, k, 2 * i + 1);
            *any = true;
        }
        mesh[defs[k].intervals] = 1;
        defs[k].mesh = mesh;
    }
    if (*any)
        o->phase_defs = defs; // the solution before keeps the intervals it was found on
    return TAC_OK;
}

// Phases with 1/2^level of the intervals that are wanted.
static tac_status coarsen(tac_optimum *o, unsigned level, tac_error *err)
{
    tac__phase_def *defs = tac__arena_array(&o->arena, o->phase_count, sizeof *defs);
    if (!defs)
        return tac__fail_memory(err);
    for (size_t k = 0; k < o->phase_count; k++) {
        defs[k] = o->phase_defs[k];
        defs[k].intervals = ((o->phases[k].written->intervals - 1) >> level) + 1;
    }
    o->phase_defs = defs;
    return TAC_OK;
}

// More intervals than this are begun with half as many: a search on many of them from a line as the
// guess creeps.
enum { AT_ONCE = 60 };

static tac_status solve(tac_optimum *o, const tac__optimize_def *def, tac_error *err)
{
    bool any = true;
    unsigned level = 0;
    for (size_t k = 0; k < o->input_count; k++)
        o->u_scale[k] = o->plant->u[o->inputs[k]].scale;
    for (size_t k = 0; k < o->phase_count; k++) {
        while ((o->phase_defs[k].intervals - 1) >> level >= AT_ONCE)
            level++;
    }
    for (; level > 0; level--) {
        TAC_TRY(coarsen(o, level, err));
        TAC_TRY(search(o, def, err));
    }
    TAC_TRY(coarsen(o, 0, err));
    TAC_TRY(search(o, def, err));
    for (int i = 0; i < def->refinements; i++) {
        TAC_TRY(refine(o, def, &any, err));
        if (!any)
            break;
        TAC_TRY(search(o, def, err));
        o->refinements++;
    }
    return TAC_OK;
}

static tac_status make(tac_optimum *o, const tac__optimize_def *def, tac_error *err)
{
    size_t island;
    int32_t cost;
    bool changed;
    TAC_TRY(tac__find_island(o->engine, def->component,
                             def->component ? &def->component_place : &def->place, &island, err));
    TAC_TRY(tac_engine_run(o->engine, def->at_us, err));
    TAC_TRY(tac__plant_make(o->engine, island, &o->arena, &o->plant, err));
    TAC_TRY(read_start(o, def, err));
    TAC_TRY(tac__plant_settle(o->plant, o->plant->x0, o->plant->u0, &changed));
    TAC_TRY(choose_inputs(o, def, err));
    o->phases = tac__arena_array(&o->arena, def->phase_count, sizeof *o->phases);
    o->phase_defs = tac__arena_array(&o->arena, def->phase_count, sizeof *o->phase_defs);
    if (!o->phases || !o->phase_defs)
        return tac__fail_memory(err);
    TAC_TRY(make_objective(o, def, &cost, err));
    for (size_t k = 0; k < def->phase_count; k++) {
        o->phases[k] = (tac__optimum_phase){.written = &def->phases[k]};
        o->phase_count++;
        TAC_TRY(make_phase(o, k, cost, err));
    }
    return solve(o, def, err);
}

tac_status tac__optimum_create(const tac__optimize_def *def, tac_engine *engine,
                               tac_optimum **optimum, tac_error *err)
{
    TAC_REQUIRE(engine && optimum && tac__engine_is_prepared(engine));
    *optimum = NULL;
    const tac_allocator *a = tac__watch_run(engine).allocator;
    tac_optimum *o = a->resize(a->context, NULL, 0, sizeof *o);
    if (!o)
        return tac__fail_memory(err);
    *o = (tac_optimum){
        .allocator = a, .engine = engine, .maximize = def->maximize, .smoothing = def->smoothing};
    tac__arena_init(&o->arena, a);
    const tac_status status = make(o, def, err);
    if (status != TAC_OK && status != TAC_E_UNSOLVED) {
        tac_optimum_destroy(o);
        return status;
    }
    *optimum = o;
    return status;
}

void tac_optimum_destroy(tac_optimum *o)
{
    if (!o)
        return;
    for (size_t k = 0; k < o->phase_count; k++) {
        for (int i = 0; i < 3; i++) {
            tac__graph_function_destroy(o->phases[k].functions[i]);
            tac__graph_destroy(o->phases[k].graphs[i]);
        }
    }
    tac__graph_function_destroy(o->objective);
    tac__graph_destroy(o->objective_graph);
    tac__plant_destroy(o->plant);
    tac__arena_fini(&o->arena);
    o->allocator->resize(o->allocator->context, o, sizeof *o, 0);
}

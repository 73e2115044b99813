// lanes.c - see lanes.h.
#include "engine/run/lanes.h"
#include "engine/run/profile.h"
#include "math/prints.h"

enum { LANES = TAC__LANES };

// --- islands that are alike ---------------------------------------------------------------------

// Can the island be integrated in lanes at all?
static bool is_packable(const tac_engine *e, const tac__island *island)
{
    const tac_instance *c = island->alone;
    if (!c || !c->plan->type->kernels[TAC_PACK4].derive || !c->plan->type->alike ||
        e->plan->method->implicit || e->plan->def.split ||
        (c->plan->type->flags &
         TAC_COMPONENT_OPAQUE)) // their own state may make them differ without notice
        return false;
    for (size_t k = 0; k < c->plan->inputs.count; k++) {
        if (c->plan->inputs.items[k].type.scalar != TAC_F64 || c->plan->in[k].coupled)
            return false;
    }
    return true;
}

// Do both problems measure errors in the same way?
static bool same_groups(const tac__ode_problem *a, const tac__ode_problem *b)
{
    bool same = a->group_count == b->group_count;
    for (size_t i = 0; same && i < a->group_count; i++) {
        const tac__ode_group *g = &a->groups[i], *h = &b->groups[i];
        same = g->count == h->count && g->scale == h->scale && g->quaternion == h->quaternion;
    }
    return same;
}

static bool are_alike(const tac__island *a, const tac__island *b)
{
    const tac__component *c = a->alone->plan, *d = b->alone->plan;
    if (c->type != d->type || a->plan->x_count != b->plan->x_count ||
        a->plan->event_count != b->plan->event_count || c->inputs.count != d->inputs.count ||
        !same_groups(&a->problem, &b->problem))
        return false;
    for (size_t k = 0; k < c->inputs.count; k++) {
        if (tac__type_words(&c->inputs.items[k].type) != tac__type_words(&d->inputs.items[k].type))
            return false;
    }
    return c->type->alike(c->self, d->self);
}

// With many vehicles the data of the next lanes have left the cache since their last step. They are
// prefetched while this step is computed, a part at each evaluation: all at once would be more than
// the processor fetches at a time. First the islands of the next lanes, one after another, with
// their states and inputs; then what leads to those of the lanes behind them.
enum { FETCH_PARTS = LANES + 1 };

static void fetch_lane(const tac_engine *e, const tac__lanes *next, size_t lane)
{
    const tac__island *island = &e->islands[next->plan->islands[lane]];
    const tac__evaluator *packs = next->work->packs;
    tac__touch(island->state);
    tac__fetch(island->state, 12); // and behind it x, y and modes
    tac__fetch(island->work.z, 3);
    tac__fetch(island->plan, 4);
    for (size_t k = 0; k < packs->held_count; k++) {
        const double *in = next->subject.held[k * LANES + lane];
        tac__fetch(in, 1);
        tac__fetch(in + packs->held[k].count - 1, 1);
    }
}

static void fetch_part(const tac_engine *e, const tac__lanes *next, uint64_t part)
{
    if (!next)
        return;
    if (part < next->plan->count)
        fetch_lane(e, next, (size_t)part);
    if (part != LANES || !next->next)
        return;
    const tac__lanes *later = next->next;
    tac__fetch(later, 4);
    tac__fetch(later->plan, 1);
    tac__fetch(later->subject.held, 5);
    // The plan may not be in the cache yet. Mostly islands follow each other.
    const tac__island *island = &e->islands[next->plan->islands[0] + LANES];
    tac__fetch(island, LANES * (int)(sizeof *island / 64));
}

static tac_status evaluate(void *context, double t_s, double *dx)
{
    tac__lanes_work *w = context;
    fetch_part(w->engine, w->of->next, w->evals);
    w->evals++;
    const double t_lanes[LANES] = {t_s, t_s, t_s, t_s};
    return tac__evaluator_derive(w->packs, t_lanes, dx);
}

// What lanes take together counts for the components of their first island.
static tac_status evaluate_timed(void *context, double t_s, double *dx)
{
    tac__lanes_work *w = context;
    fetch_part(w->engine, w->of->next, w->evals);
    w->evals++;
    const double t_lanes[LANES] = {t_s, t_s, t_s, t_s};
    return tac__evaluator_derive_timed(w->packs, t_lanes, dx);
}

static tac_status make_work(tac_engine *e, const tac__island *island, tac__lanes_work **made)
{
    const size_t n = island->plan->x_count * LANES;
    double *memory =
        tac__arena_array(&e->scratch, tac__ode_work_doubles(e->plan->method, n), sizeof *memory);
    tac__lanes_work *w = tac__arena_array(&e->scratch, 1, sizeof *w);
    if (!memory || !w)
        return TAC_E_MEMORY;
    w->x = tac__ode_array(&e->scratch, n);
    w->y = tac__ode_array(&e->scratch, n);
    if (!w->x || !w->y)
        return TAC_E_MEMORY;
    tac__ode_work_init(&w->ode, e->plan->method, n, memory);
    w->engine = e;
    w->model = island->alone->plan;
    w->problem = island->problem;
    w->problem.n = n;
    w->problem.context = w;
    w->problem.rhs = e->plan->def.profile ? evaluate_timed : evaluate;
    *made = w;
    return tac__evaluator_make(e, island, TAC_PACK4, w->ode.z, &w->packs);
}

// Find the islands from the first on that are alike and in no lanes yet.
static tac__lanes_plan find_alike(const tac_engine *e, uint32_t first)
{
    tac__lanes_plan p = {.islands = {first}, .count = 1};
    for (uint32_t i = first + 1; i < e->plan->island_count && p.count < LANES; i++) {
        const tac__island *island = &e->islands[i];
        if (!island->lanes && is_packable(e, island) && are_alike(&e->islands[first], island))
            p.islands[p.count++] = i;
    }
    return p;
}

// `last`: the lanes that were made last; NULL: none. If their islands are alike, too, the work is
// theirs.
static tac_status make_lanes(tac_engine *e, const tac__lanes_plan *found, tac__lanes **last)
{
    const tac__island *first = &e->islands[found->islands[0]];
    const bool shares = *last && are_alike(&e->islands[(*last)->plan->islands[0]], first);
    tac__lanes_plan *plan = tac__arena_array(&e->building->arena, 1, sizeof *plan);
    tac__lanes *l = tac__arena_array(&e->scratch, 1, sizeof *l);
    if (!plan || !l)
        return TAC_E_MEMORY;
    *plan = *found;
    l->plan = plan;
    l->tried_us = TAC_TIME_NEVER;
    if (shares)
        l->work = (*last)->work;
    else
        TAC_TRY(make_work(e, first, &l->work));
    tac__island *islands[LANES];
    for (size_t lane = 0; lane < LANES; lane++)
        islands[lane] = &e->islands[plan->islands[lane < plan->count ? lane : 0]];
    TAC_TRY(tac__subject_make(e, l->work->packs, islands, shares ? &(*last)->subject : NULL,
                              &l->subject));
    for (size_t lane = 0; lane < plan->count; lane++) {
        islands[lane]->lanes = l;
        islands[lane]->lane = (uint8_t)lane;
    }
    if (*last)
        (*last)->next = l;
    *last = l;
    return TAC_OK;
}

tac_status tac__lanes_form(tac_engine *e)
{
    if (!e->plan->def.lanes || !tac__packs_sound(LANES))
        return TAC_OK;
    tac__lanes *last = NULL;
    for (uint32_t i = 0; i < e->plan->island_count; i++) {
        if (e->islands[i].lanes || !is_packable(e, &e->islands[i]))
            continue;
        const tac__lanes_plan found = find_alike(e, i);
        if (found.count > 1)
            TAC_TRY(make_lanes(e, &found, &last));
    }
    return TAC_OK;
}

static tac__island *island_of(tac_engine *e, const tac__lanes *l, size_t lane)
{
    return &e->islands[l->plan->islands[lane]];
}

// --- a step -------------------------------------------------------------------------------------

// Which lanes take part in a step. A lane that does not take part computes the same as the first
// one that does, and its result is dropped.
typedef struct occupancy {
    size_t of[LANES]; // the lane whose data it has
    bool takes[LANES];
    size_t count;
    tac_time length_us; // of the step
} occupancy;

static occupancy assemble(tac_engine *e, const tac__lanes *l, tac_time t_us)
{
    occupancy c = {.count = 0};
    size_t first = LANES;
    for (size_t lane = 0; lane < l->plan->count; lane++) {
        tac__island *island = island_of(e, l, lane);
        const tac__island_state *s = island->state;
        if (s->from_us != t_us || s->to_us != t_us || island->work.first)
            continue;
        const tac_time left_us = tac__island_planned(e, island) - t_us;
        const tac_time own_us =
            e->plan->method->adaptive ? s->h_us : e->plan->def.integrator.h_max_us;
        const tac_time length_us = left_us < own_us ? left_us : own_us;
        if (first == LANES) {
            first = lane;
            c.length_us = length_us;
        }
        c.takes[lane] = length_us == c.length_us;
        c.count += c.takes[lane];
    }
    for (size_t lane = 0; lane < LANES; lane++)
        c.of[lane] = c.takes[lane] ? lane : first;
    return c;
}

// States, so that the values of all lanes lie side by side, modes and inputs.
static void gather(const tac_engine *e, const tac__lanes *l, const occupancy *c)
{
    const tac__lanes_work *w = l->work;
    const double *of[LANES];
    for (size_t lane = 0; lane < LANES; lane++)
        of[lane] = e->islands[l->plan->islands[c->of[lane]]].x;
    for (size_t i = 0; i < w->problem.n / LANES; i++) {
        for (size_t lane = 0; lane < LANES; lane++)
            w->x[i * LANES + lane] = of[lane][i];
    }
    tac__evaluator_aim(w->packs, &l->subject);
    tac__subject_modes(w->packs, &l->subject);
    tac__evaluator_hold(w->packs, &l->subject);
}

// Store the result of a lane where the island's own step would: in y, and in work.z, where the
// right-hand side was evaluated last.
static void store_result(const tac__lanes_work *w, tac__island *island)
{
    const double *y = w->y + island->lane;
    for (size_t i = 0; i < island->plan->x_count; i++)
        island->y[i] = island->work.z[i] = y[i * LANES];
    tac__step_set(island, TAC__STEP_AHEAD);
}

void tac__lanes_step(tac_engine *e, tac__lanes *l, tac_time t_us)
{
    l->tried_us = t_us;
    const occupancy c = assemble(e, l, t_us);
    if (c.count < 2)
        return;
    for (size_t lane = 0; lane < l->plan->count; lane++) {
        if (c.takes[lane])
            tac__island_renew(e, island_of(e, l, lane), t_us);
        else
            tac__lanes_leave(island_of(e, l, lane));
    }
    tac__lanes_work *w = l->work;
    w->of = l;
    gather(e, l, &c);
    const tac_integrator_def *def = &e->plan->def.integrator;
    const double h_s = tac_time_seconds(c.length_us);
    l->to_us = t_us + c.length_us;
    w->evals = 0;
    w->ode.first = false;
    if (tac__ode_step(e->plan->method, &w->problem, &w->ode, tac_time_seconds(t_us),
                      tac_time_seconds(l->to_us), h_s, w->x, w->y) != TAC_OK)
        return; // each island repeats the step alone and reports its failure
    l->evals = w->evals;
    for (uint64_t part = w->evals; part < FETCH_PARTS; part++) // of a method with few stages
        fetch_part(e, l->next, part);
    tac__ode_errors(e->plan->method, &w->problem, &w->ode, def->rtol, def->atol, h_s, w->x, w->y,
                    l->error, LANES);
    for (size_t lane = 0; lane < l->plan->count; lane++) {
        if (c.takes[lane])
            store_result(w, island_of(e, l, lane));
    }
}

// If the stages are gone, the step is computed again for the island alone: same bits, not counted.
void tac__lanes_unpack(tac__island *island)
{
    const tac__lanes *l = island->lanes;
    if (l->work->of == l) {
        tac__ode_unpack(island->engine->plan->method, &l->work->ode, LANES, island->lane,
                        &island->work);
    } else {
        const uint64_t evals = island->state->evals;
        tac__ode_forget(&island->work);
        (void)tac__step_to(island->engine, island, &island->work, l->to_us, island->y);
        island->state->evals = evals;
    }
    tac__step_set(island,
                  island->step == TAC__STEP_SOUND_LANES ? TAC__STEP_SOUND : TAC__STEP_SETTLED);
}

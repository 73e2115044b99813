// steps.h - `step` of components in every kind, at drawn points: bit for bit that of numbers, and
// derivatives as differences have them.
//
// The components are those of an engine, alike and in one team, so that shape, numbers and streams
// come from there, and draws of all lanes go through the team. A point is all that a step sees:
// inputs, states, outputs as they were, numbers. Points are drawn about the values that a component
// has at present, in every lane another one, with other numbers.
#ifndef TAC_TESTS_MODEL_STEPS_H
#define TAC_TESTS_MODEL_STEPS_H

#include "model/kernels.h"

#include "engine/run/teams.h"

enum { STEPS_BYTES = 4096, STEPS_ALIGN = 64 };

// Values of ports: in the form of numbers, or of another kind.
typedef struct steps_values {
    _Alignas(STEPS_ALIGN) unsigned char bytes[STEPS_BYTES * TAC_DUAL_WIDTH];
    void *at[KERNELS_PORTS];
} steps_values;

typedef struct steps_point {
    steps_values in, state, out;
    _Alignas(STEPS_ALIGN) double p[KERNELS_MAX];
} steps_point;

// What is drawn for ports that are not f64.
typedef struct steps_draws {
    void (*input)(uint64_t *seed, size_t port, void *value); // in each lane
    void (*state)(uint64_t *seed, size_t port, void *value); // the same in all lanes
    unsigned hostile;                                        // about 1 in so many f64; 0: none
    bool apart;                                              // states differ, too
} steps_draws;

typedef struct steps_team {
    const rig *r;
    size_t lanes;
    tac_instance *members[TAC__TEAM_MAX];
    uint64_t next[TAC__TEAM_MAX]; // the index of the next draw in each lane
} steps_team;

// `first` is the number behind `stem` in the name of the first member.
static inline steps_team steps_members(const rig *r, const char *stem, size_t first, size_t lanes)
{
    steps_team t = {.r = r, .lanes = lanes};
    tac__teams_store(r->engine);
    for (size_t lane = 0; lane < lanes; lane++) {
        char name[64];
        snprintf(name, sizeof name, "%s%zu", stem, first + lane);
        t.members[lane] = r->engine->instances[kernels_of(r, name).c->index];
        t.next[lane] = *t.members[lane]->streams[0].next;
        assert_ptr_equal(t.members[lane]->team, t.members[0]->team);
    }
    return t;
}

static inline const tac__component *steps_plan(const steps_team *t)
{
    return t->members[0]->plan;
}

static inline size_t steps_size(const tac_type *type)
{
    return tac__scalar_size(type->scalar);
}

static inline void steps_lay(const tac__ports *ports, const tac__form *f, steps_values *v)
{
    size_t used = 0;
    for (size_t k = 0; k < ports->count; k++) {
        const tac_type *type = &ports->items[k].type;
        v->at[k] = v->bytes + used;
        used += type->count * steps_size(type) * (type->scalar == TAC_F64 ? f->width : f->lanes);
        used = (used + STEPS_ALIGN - 1) / STEPS_ALIGN * STEPS_ALIGN;
    }
    assert_true(ports->count <= KERNELS_PORTS && used <= STEPS_BYTES * f->width);
}

// Element i of a lane in the form of a kind.
static inline void *steps_at(const steps_values *v, const tac__ports *ports, const tac__form *f,
                             size_t k, size_t i, size_t lane)
{
    const tac_type *type = &ports->items[k].type;
    const size_t stride = type->scalar == TAC_F64 ? f->width : f->lanes;
    return (unsigned char *)v->at[k] + (i * stride + lane) * steps_size(type);
}

// --- points -------------------------------------------------------------------------------------

static inline double steps_near(uint64_t *seed, unsigned hostile, double at)
{
    if (hostile && input_bits(seed) % hostile == 0)
        return input_hostile(seed);
    return fabs(at) < 1e-9 ? input_uniform(seed, -0.1, 0.1) : at * input_uniform(seed, 0.8, 1.2);
}

static inline void steps_draw_values(const tac__ports *ports, const void *const *from,
                                     const steps_draws *draws, uint64_t *seed, uint64_t *shared,
                                     bool input, steps_values *v)
{
    steps_lay(ports, &tac__forms[TAC_NUMBERS], v);
    for (size_t k = 0; k < ports->count; k++) {
        const tac_type *type = &ports->items[k].type;
        memcpy(v->at[k], from[k], type->count * steps_size(type));
        double *x = v->at[k];
        for (size_t i = 0; type->scalar == TAC_F64 && i < type->count; i++)
            x[i] = steps_near(seed, draws->hostile, x[i]);
        if (type->scalar != TAC_F64 && shared && input)
            draws->input(seed, k, v->at[k]);
        else if (type->scalar != TAC_F64 && shared)
            draws->state(shared, k, v->at[k]);
    }
}

// `shared` is the seed of what is the same in all lanes.
static inline void steps_draw(const steps_team *t, size_t lane, const steps_draws *draws,
                              uint64_t *seed, uint64_t shared, steps_point *point)
{
    const tac_instance *m = t->members[lane];
    const tac__component *c = m->plan;
    steps_draw_values(&c->inputs, m->step.in, draws, seed, &shared, true, &point->in);
    steps_draw_values(&c->states, (const void *const *)m->step.state, draws, seed,
                      draws->apart ? seed : &shared, false, &point->state);
    steps_draw_values(&c->outputs, (const void *const *)m->step.out, draws, seed, NULL, false,
                      &point->out);
    assert_true(c->number_count <= KERNELS_MAX / TAC_DUAL_WIDTH);
    for (size_t i = 0; i < c->number_count; i++)
        point->p[i] = steps_near(seed, draws->hostile, c->numbers[i]);
}

static inline void steps_pack_values(const tac__ports *ports, const tac__form *f,
                                     const steps_values *from, size_t lane, steps_values *to)
{
    const tac__form *one = &tac__forms[TAC_NUMBERS];
    for (size_t k = 0; k < ports->count; k++) {
        for (size_t i = 0; i < ports->items[k].type.count; i++)
            memcpy(steps_at(to, ports, f, k, i, lane), steps_at(from, ports, one, k, i, 0),
                   steps_size(&ports->items[k].type));
    }
}

// All lanes in the form of a kind.
static inline void steps_pack(const steps_team *t, tac_kind kind, const steps_point *from,
                              steps_point *to)
{
    const tac__component *c = steps_plan(t);
    const tac__form *f = &tac__forms[kind];
    memset(to, 0, sizeof *to);
    steps_lay(&c->inputs, f, &to->in);
    steps_lay(&c->states, f, &to->state);
    steps_lay(&c->outputs, f, &to->out);
    for (size_t lane = 0; lane < f->lanes; lane++) {
        steps_pack_values(&c->inputs, f, &from[lane].in, lane, &to->in);
        steps_pack_values(&c->states, f, &from[lane].state, lane, &to->state);
        steps_pack_values(&c->outputs, f, &from[lane].out, lane, &to->out);
        for (size_t i = 0; i < c->number_count; i++)
            to->p[f->numbers ? i * f->width + lane : i] = from[lane].p[i];
    }
}

// --- a step -------------------------------------------------------------------------------------

// The step of a kind on a point of that kind; `lane` is the member whose instance it has. A single
// component draws from t->next on; a team has indices of its own, which go on with each step.
static inline tac_status steps_run(const steps_team *t, size_t lane, tac_kind kind, uint32_t due,
                                   steps_point *point)
{
    const tac__component *c = steps_plan(t);
    const tac__form *f = &tac__forms[kind];
    tac_lane lanes[TAC__TEAM_MAX];
    for (size_t i = 0; i < f->lanes; i++) {
        tac_instance *m = t->members[lane + i];
        lanes[i] = (tac_lane){.instance = m, .self = m->plan->self};
    }
    *t->members[lane]->streams[0].next = t->next[lane];
    tac_step s = t->members[lane]->step;
    s.due = due;
    s.lanes = (uint32_t)f->lanes;
    s.lane = f->lanes > 1 ? lanes : NULL;
    s.in = (const void *const *)point->in.at;
    s.state = point->state.at;
    s.out = point->out.at;
    s.p = point->p;
    return c->type->kernels[kind].step(&s, c->self);
}

static inline void steps_same(const steps_team *t, tac_kind kind, const char *what,
                              const tac__ports *ports, const steps_values *got, size_t lane,
                              const steps_values *expected)
{
    const tac__form *f = &tac__forms[kind], *one = &tac__forms[TAC_NUMBERS];
    for (size_t k = 0; k < ports->count; k++) {
        const tac__port *port = &ports->items[k];
        for (size_t i = 0; i < port->type.count; i++) {
            const void *a = steps_at(got, ports, f, k, i, lane);
            const void *b = steps_at(expected, ports, one, k, i, 0);
            const bool same = port->type.scalar == TAC_F64
                                  ? same_bits(*(const double *)a, *(const double *)b)
                                  : !memcmp(a, b, steps_size(&port->type));
            if (!same)
                fail_msg("%s as %s, lane %zu: %s '%s'[%zu] differs: %a, as numbers %a",
                         steps_plan(t)->name, kernels_kinds[kind], lane, what, port->name, i,
                         port->type.scalar == TAC_F64 ? *(const double *)a : 0,
                         port->type.scalar == TAC_F64 ? *(const double *)b : 0);
        }
    }
}

typedef struct steps_tally {
    uint64_t together, apart, failed; // steps in packs; refused in packs; failed as numbers
} steps_tally;

// The step of packs of this width, or of both kinds of duals in the first member, gives what
// numbers give. A step of packs that refuses has written nothing, and refuses where numbers fail.
static inline void steps_compare_kind(const steps_team *t, tac_kind kind, uint32_t due,
                                      const steps_point *from, const steps_point *expected,
                                      bool fails, steps_tally *tally)
{
    static steps_point packed, before;
    const tac__component *c = steps_plan(t);
    const tac__form *f = &tac__forms[kind];
    steps_pack(t, kind, from, &packed);
    memcpy(before.state.bytes, packed.state.bytes, sizeof packed.state.bytes);
    memcpy(before.out.bytes, packed.out.bytes, sizeof packed.out.bytes);
    const tac_status status = steps_run(t, 0, kind, due, &packed);
    if (status != TAC_OK) {
        tally->apart++;
        assert_true(f->lanes > 1);
        assert_memory_equal(before.state.bytes, packed.state.bytes, sizeof packed.state.bytes);
        assert_memory_equal(before.out.bytes, packed.out.bytes, sizeof packed.out.bytes);
        return;
    }
    if (f->lanes > 1) {
        tally->together++;
        assert_false(fails);
    }
    for (size_t lane = 0; lane < f->lanes; lane++) {
        steps_same(t, kind, "output", &c->outputs, &packed.out, lane, &expected[lane].out);
        steps_same(t, kind, "state", &c->states, &packed.state, lane, &expected[lane].state);
    }
}

static inline steps_tally steps_compare(steps_team *t, const steps_draws *draws, int batches)
{
    static steps_point from[TAC__TEAM_MAX], expected[TAC__TEAM_MAX];
    steps_tally tally = {0};
    uint64_t seed = 31;
    for (int batch = 0; batch < batches; batch++) {
        const uint64_t shared = input_bits(&seed);
        const uint32_t due = shared % 5 == 0 ? TAC_DUE_LEAD : TAC_DUE_AXIS;
        bool fails = false;
        uint64_t next[TAC__TEAM_MAX];
        for (size_t lane = 0; lane < t->lanes; lane++) {
            steps_draw(t, lane, draws, &seed, shared, &from[lane]);
            steps_pack(t, TAC_NUMBERS, &from[lane], &expected[lane]);
            const bool failed = steps_run(t, lane, TAC_NUMBERS, due, &expected[lane]) != TAC_OK;
            fails |= failed;
            tally.failed += failed;
            next[lane] = *t->members[lane]->streams[0].next;
            if (lane == 0 && !failed) {
                steps_compare_kind(t, TAC_DUALS, due, from, expected, false, &tally);
                steps_compare_kind(t, TAC_DUALS_OF_ALL, due, from, expected, false, &tally);
                assert_true(*t->members[0]->streams[0].next == next[0]);
            }
        }
        const tac_kind kind = t->lanes == 8 ? TAC_PACK8 : t->lanes == 4 ? TAC_PACK4 : TAC_PACK2;
        const uint64_t before = tally.apart;
        steps_compare_kind(t, kind, due, from, expected, fails, &tally);
        if (tally.apart == before) // else the team has drawn nothing, or the next step differs
            memcpy(t->next, next, sizeof next);
    }
    return tally;
}

// --- derivatives --------------------------------------------------------------------------------

// The f64s of ports, one after another; NULL behind the last.
static inline double *steps_f64(const tac__ports *ports, const tac__form *f, const steps_values *v,
                                size_t *i)
{
    for (size_t k = 0; k < ports->count; k++) {
        const tac_type *type = &ports->items[k].type;
        if (type->scalar != TAC_F64)
            continue;
        if (*i < type->count)
            return steps_at(v, ports, f, k, *i, 0);
        *i -= type->count;
    }
    return NULL;
}

// Value i of those that a derivative is taken by: inputs, states, numbers.
static inline double *steps_given(const tac__component *c, tac_kind kind, steps_point *point,
                                  size_t i)
{
    const tac__form *f = &tac__forms[kind];
    double *at = steps_f64(&c->inputs, f, &point->in, &i);
    if (!at)
        at = steps_f64(&c->states, f, &point->state, &i);
    if (!at && i < c->number_count)
        at = &point->p[f->numbers ? i * f->width : i];
    return at;
}

// Value i of the results: outputs, states.
static inline double *steps_result(const tac__component *c, tac_kind kind, steps_point *point,
                                   size_t i)
{
    const tac__form *f = &tac__forms[kind];
    double *at = steps_f64(&c->outputs, f, &point->out, &i);
    return at ? at : steps_f64(&c->states, f, &point->state, &i);
}

static inline void steps_difference(const steps_team *t, const steps_point *from, size_t i,
                                    double h, double *slope)
{
    static const int moves[4] = {-2, -1, 1, 2};
    static steps_point at[4];
    const tac__component *c = steps_plan(t);
    for (int k = 0; k < 4; k++) {
        steps_pack(t, TAC_NUMBERS, from, &at[k]);
        *steps_given(c, TAC_NUMBERS, &at[k], i) += moves[k] * h;
        assert_int_equal(steps_run(t, 0, TAC_NUMBERS, TAC_DUE_AXIS, &at[k]), TAC_OK);
    }
    for (size_t o = 0; steps_result(c, TAC_NUMBERS, &at[0], o); o++) {
        double f[4];
        for (int k = 0; k < 4; k++)
            f[k] = *steps_result(c, TAC_NUMBERS, &at[k], o);
        slope[o] = (f[0] - f[3] + 8 * (f[2] - f[1])) / (12 * h);
    }
}

// Of the first member, by all inputs, states and (duals of all) numbers that are f64.
static inline void steps_differentiate(const steps_team *t, const steps_draws *draws, int points)
{
    static steps_point from, dual;
    const tac__component *c = steps_plan(t);
    uint64_t seed = 41;
    kernels_tally tally = {0};
    for (int n = 0; n < points; n++) {
        const uint64_t shared = input_bits(&seed);
        steps_draw(t, 0, draws, &seed, shared, &from);
        for (size_t i = 0; steps_given(c, TAC_NUMBERS, &from, i); i++) {
            double coarse[KERNELS_MAX], fine[KERNELS_MAX];
            const double x = *steps_given(c, TAC_NUMBERS, &from, i);
            const double h = 1e-4 * (fabs(x) < 1e-2 ? 1e-2 : fabs(x));
            steps_difference(t, &from, i, h, coarse);
            steps_difference(t, &from, i, h / 2, fine);
            for (tac_kind kind = TAC_DUALS; kind <= TAC_DUALS_OF_ALL; kind++) {
                const double *p0 = dual.p, *p1 = dual.p + KERNELS_MAX;
                steps_pack(t, kind, &from, &dual);
                double *given = steps_given(c, kind, &dual, i);
                const bool number = given >= p0 && given < p1;
                if (number && kind == TAC_DUALS)
                    continue;
                given[1] = 1;
                assert_int_equal(steps_run(t, 0, kind, TAC_DUE_AXIS, &dual), TAC_OK);
                for (size_t o = 0; steps_result(c, kind, &dual, o); o++) {
                    const double *y = steps_result(c, kind, &dual, o);
                    const double rounding = 1e-12 * (fabs(y[0]) + 1e-6) / h;
                    const double tolerance = 1e-6 * fabs(fine[o]) + rounding + 1e-12;
                    if (!(fabs(coarse[o] - fine[o]) < tolerance)) {
                        tally.skipped++; // the two straddle a kink
                        continue;
                    }
                    tally.compared++;
                    tally.by_numbers += number && fine[o] != 0;
                    if (!(fabs(y[1] - fine[o]) < 10 * tolerance))
                        fail_msg("%s as %s: result %zu by value %zu is %.12g, by differences %.12g",
                                 c->name, kernels_kinds[kind], o, i, y[1], fine[o]);
                }
            }
        }
    }
    print_message("%s: %d derivatives compared, %d skipped, %d by numbers not 0\n", c->name,
                  tally.compared, tally.skipped, tally.by_numbers);
    assert_true(tally.compared > 20 * tally.skipped && tally.by_numbers >= points);
}

#endif

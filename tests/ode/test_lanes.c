// Steps in lanes against steps of each problem alone, bit for bit: drawn problems, step lengths,
// active lanes, retries and everything else that a caller may do between steps.
#include "solve.h"

#include <malloc.h>

#include "math/machine.h"
#include "ode/core.h"
#include "ode/lanes.h"

enum { EXPLICIT_METHODS = 5, LANES = TAC__ODE_LANES_MAX, N_MAX = 40, GROUPS_MAX = 6 };
static const size_t widths[] = {2, 4, 8};
enum { WIDTHS = sizeof widths / sizeof *widths };

// The method for a width, NULL where this machine cannot run it.
static const tac__ode_lanes_method *runnable(int method, size_t lanes)
{
    return tac__machine_has_pack((unsigned)lanes)
               ? tac__ode_lanes_find(tac__method_find(all_methods[method]), lanes)
               : NULL;
}

// --- draws --------------------------------------------------------------------------------------

static uint64_t seed;

static uint64_t draw(void)
{
    uint64_t z = seed += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static size_t below(size_t count)
{
    return (size_t)(draw() % count);
}

static bool one_in(size_t count)
{
    return below(count) == 0;
}

// From -1 to 1.
static double number(void)
{
    return (double)(int64_t)draw() * 0x1p-63;
}

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

// --- the problems of a group --------------------------------------------------------------------

// A ring of states with factors of its own in each lane. `poison` is added where a step shall give
// NaN or infinity.
typedef struct ring_problem {
    size_t n;
    double factor, rate, poison;
} ring_problem;

static void ring_field(const ring_problem *r, double t, const double *z, double *dy)
{
    for (size_t i = 0; i < r->n; i++) {
        const double left = z[i ? i - 1 : r->n - 1], right = z[i + 1 < r->n ? i + 1 : 0];
        dy[i] = r->factor * left - z[i] * right + r->rate * t / (1 + z[i] * z[i]) + r->poison;
    }
}

// One lane alone: the reference.
typedef struct alone {
    ring_problem ring;
    tac__ode_problem problem;
    tac__ode_work work;
    double x[N_MAX], y[N_MAX];
    double memory[(TAC__STAGES_MAX + 16) * (N_MAX + 8)];
    int fail_at, evaluations;
    bool known;  // f(t0, x) of the next step is known, also in lanes
    bool stages; // of the last step are there, also in lanes
    bool failed; // the last step: only the first stage is defined
    tac__ode_group groups[GROUPS_MAX];
} alone;

typedef struct trial {
    const tac__method *method;
    const tac__ode_lanes_method *m;
    size_t lanes, n, live; // of n states the first `live` are integrated
    tac__ode_group groups[GROUPS_MAX];
    size_t group_count;
    double scales[GROUPS_MAX * LANES]; // of each lane; used at times
    tac__ode_lanes_problem problem;
    tac__ode_lanes group, other;
    tac__ode_lanes_work work;
    tac__ode_lanes_work *shared; // of whole integrations
    double *memory[3];
    alone lane[LANES];

    // The step under way, for the right-hand side.
    tac__lane_set active;
    double t0_s;
    int fail_at, evaluations;
    bool disturbing;
} trial;

static tac_status alone_rhs(void *context, double t_s, double *dy)
{
    alone *a = context;
    if (a->evaluations++ == a->fail_at)
        return TAC_E_NUMERIC;
    ring_field(&a->ring, t_s, a->work.z, dy);
    return TAC_OK;
}

static tac_status lanes_rhs(void *context, const double *t_s, double *dy)
{
    trial *t = context;
    assert_int_equal((uintptr_t)t_s % (t->lanes * sizeof *t_s), 0);
    assert_int_equal((uintptr_t)dy % (t->lanes * sizeof *dy), 0);
    if (t->evaluations++ == t->fail_at)
        return TAC_E_NUMERIC;
    for (size_t lane = 0; lane < t->lanes; lane++) {
        double z[N_MAX], dz[N_MAX];
        tac__lane_get(t->lanes, lane, t->n, t->work.z, z);
        ring_field(&t->lane[lane].ring, t_s[lane], z, dz);
        for (size_t i = t->live; i < t->n; i++)
            dz[i] = 0;
        tac__lane_put(t->lanes, lane, t->n, dz, dy);
        if (t->disturbing)
            continue;
        const bool active = t->active >> lane & 1;
        for (size_t i = active ? t->live : 0; i < t->n; i++)
            assert_true(same(z[i], t->lane[lane].x[i] + 0));
        assert_true(active || t_s[lane] == t->t0_s);
    }
    return TAC_OK;
}

// Groups of 1 to 5 states, some of 4 as quaternions.
static void draw_groups(trial *t)
{
    t->group_count = 0;
    for (size_t at = 0; at < t->live; t->group_count++) {
        const bool last = t->group_count == GROUPS_MAX - 1;
        size_t count = last ? t->live - at : 1 + below(5);
        count = count < t->live - at ? count : t->live - at;
        t->groups[t->group_count] = (tac__ode_group){
            (uint32_t)at, (uint32_t)count, 0.1 + (double)below(100), count == 4 && one_in(2)};
        at += count;
    }
}

static void draw_state(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = one_in(8) ? (one_in(2) ? -0.0 : 0.0) : number();
}

static double *memory_of(size_t doubles)
{
    // Anywhere: alignment is not the caller's business.
    double *memory = malloc((doubles + 8) * sizeof *memory);
    assert_non_null(memory);
    memset(memory, 0x7f, (doubles + 8) * sizeof *memory);
    return memory;
}

static void trial_open(trial *t, int method, const tac__ode_lanes_method *m, size_t n, size_t live)
{
    memset(t, 0, sizeof *t);
    *t = (trial){.method = tac__method_find(all_methods[method]),
                 .m = m,
                 .lanes = m->lanes,
                 .n = n,
                 .live = live,
                 .fail_at = -1};
    assert_int_equal(m->lanes, t->lanes);
    draw_groups(t);
    t->problem = (tac__ode_lanes_problem){live, t, lanes_rhs, t->groups, t->group_count};
    const size_t kept = tac__ode_lanes_doubles(m, n), work = tac__ode_lanes_work_doubles(m, n);
    for (int i = 0; i < 3; i++)
        t->memory[i] = memory_of(i < 2 ? kept : work);
    tac__ode_lanes_init(&t->group, m, n, t->memory[0] + below(8));
    tac__ode_lanes_init(&t->other, m, n, t->memory[1] + below(8));
    tac__ode_lanes_work_init(&t->work, m, n, t->memory[2] + below(8));
    const bool scaled = one_in(2);
    t->group.scales = scaled ? t->scales : NULL;
    for (size_t lane = 0; lane < t->lanes; lane++) {
        alone *a = &t->lane[lane];
        a->fail_at = -1;
        a->ring = (ring_problem){live, number(), 5 * number(), 0};
        memcpy(a->groups, t->groups, sizeof a->groups);
        for (size_t i = 0; scaled && i < t->group_count; i++)
            t->scales[i * t->lanes + lane] = a->groups[i].scale = 0.1 + (double)below(100);
        a->problem = (tac__ode_problem){live, a, alone_rhs, NULL, a->groups, t->group_count};
        assert_true(tac__ode_work_doubles(t->method, live) <= sizeof a->memory / sizeof(double));
        tac__ode_work_init(&a->work, t->method, live, a->memory);
        draw_state(a->x, n);
        tac__ode_lanes_join(m, &t->work, &t->group, lane, a->x, one_in(2) ? &a->work : NULL);
    }
}

static void trial_close(trial *t)
{
    for (int i = 0; i < 3; i++)
        free(t->memory[i]);
}

// --- comparisons --------------------------------------------------------------------------------

static void check_array(const trial *t, size_t lane, const double *packs, const double *expected,
                        size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_true(same(packs[i * t->lanes + lane], expected[i]));
}

// Everything that each lane has, as it would be alone.
static void check_lanes(const trial *t)
{
    for (size_t lane = 0; lane < t->lanes; lane++) {
        const alone *a = &t->lane[lane];
        static double memory[sizeof a->memory / sizeof(double)];
        tac__ode_work own;
        tac__ode_work_init(&own, t->method, t->live, memory);
        check_array(t, lane, t->group.x, a->x, t->n);
        if (!a->failed)
            check_array(t, lane, t->group.y, a->y, t->n);
        assert_int_equal(tac__ode_lanes_leave(t->m, &t->work, &t->group, lane, &own), a->stages);
        assert_int_equal(own.first, a->known);
        if (a->known) {
            const double *f = tac__slot(&own, own.k, own.source);
            const double *g = tac__slot(&a->work, a->work.k, a->work.source);
            for (size_t i = 0; i < t->live; i++)
                assert_true(same(f[i], g[i]));
        }
        if (!a->stages)
            continue;
        assert_int_equal(own.end, a->work.end);
        assert_int_equal(own.source, a->work.source);
        assert_int_equal(own.started, a->work.started);
        assert_int_equal(own.again, a->work.again);
        const int count = a->failed ? 1 : t->method->stages;
        for (int j = 0; j < count; j++) {
            for (size_t i = 0; i < t->live; i++)
                assert_true(
                    same(tac__slot(&own, own.k, j)[i], tac__slot(&a->work, a->work.k, j)[i]));
        }
    }
}

// --- one step -----------------------------------------------------------------------------------

// A step alone; the status is that of the lanes.
static void step_alone(trial *t, size_t lane, double t1_s, double h_s, int fail_stage)
{
    alone *a = &t->lane[lane];
    a->evaluations = 0;
    a->fail_at = fail_stage < 0 ? -1 : fail_stage - (a->work.first ? 1 : 0);
    const tac_status status =
        tac__ode_step(t->method, &a->problem, &a->work, t->t0_s, t1_s, h_s, a->x, a->y);
    a->fail_at = -1;
    assert_int_equal(status, fail_stage < 0 ? TAC_OK : TAC_E_NUMERIC);
    for (size_t i = t->live; i < t->n; i++)
        a->y[i] = a->x[i] + 0;
    a->known = false;
    a->stages = true;
    a->failed = fail_stage >= 0;
}

// A step of some lanes, over lengths of their own, from one time on. Some steps fail.
static void drawn_step(trial *t, tac__lane_set active)
{
    const tac_time t0_us = below(2000000);
    double t1_s[LANES], h_s[LANES], errors[LANES];
    bool all_known = true;
    for (size_t lane = 0; lane < t->lanes; lane++) {
        const tac_time h_us = 1 + below(one_in(4) ? 2000000 : 50000);
        t1_s[lane] = tac_time_seconds(t0_us + h_us);
        h_s[lane] = tac_time_seconds(h_us);
        errors[lane] = 42;
        if (!(active >> lane & 1)) {
            t1_s[lane] = h_s[lane] = (double)NAN;
            continue;
        }
        all_known = all_known && t->lane[lane].known;
        t->lane[lane].ring.poison = one_in(20) ? (one_in(2) ? (double)NAN : (double)INFINITY) : 0;
    }
    const int stages = t->method->stages;
    const int fail_stage = stages > 1 && one_in(8) ? 1 + (int)below((size_t)stages - 1) : -1;
    t->active = active;
    t->t0_s = tac_time_seconds(t0_us);
    t->evaluations = 0;
    t->fail_at = fail_stage < 0 ? -1 : fail_stage - (all_known ? 1 : 0);
    const tac_status status =
        tac__ode_lanes_step(t->m, &t->problem, &t->work, &t->group, active, t->t0_s, t1_s, h_s);
    t->fail_at = -1;
    assert_int_equal(status, fail_stage < 0 ? TAC_OK : TAC_E_NUMERIC);
    if (fail_stage < 0)
        assert_int_equal(t->evaluations, stages - (all_known ? 1 : 0));
    for (size_t lane = 0; lane < t->lanes; lane++) {
        if (active >> lane & 1)
            step_alone(t, lane, t1_s[lane], h_s[lane], fail_stage);
    }
    check_lanes(t);
    if (fail_stage >= 0)
        return;
    const double rtol = 1e-3 * (double)(1 + below(3)), atol = 1e-4;
    tac__ode_lanes_errors(t->m, &t->problem, &t->work, &t->group, active, rtol, atol, h_s, errors);
    for (size_t lane = 0; lane < t->lanes; lane++) {
        const alone *a = &t->lane[lane];
        const double expected = active >> lane & 1
                                    ? tac__ode_error(t->method, &a->problem, &a->work, rtol, atol,
                                                     h_s[lane], a->x, a->y)
                                    : 42;
        assert_true(same(errors[lane], expected));
    }
}

// --- what happens between steps -----------------------------------------------------------------

static bool usable(const double *x, size_t n)
{
    bool good = true;
    for (size_t i = 0; i < n; i++)
        good = good && fabs(x[i]) < 10;
    return good;
}

// Other bits than these lanes have are none of their business.
static void disturb(trial *t)
{
    double t1_s[LANES], h_s[LANES];
    for (size_t lane = 0; lane < t->lanes; lane++) {
        t1_s[lane] = h_s[lane] = number();
        alone *a = &t->lane[lane];
        a->ring.poison = 0;
        a->stages = false;
        if (a->work.again) { // evaluated again in lanes, here at another time
            tac__ode_forget(&a->work);
            a->known = false;
        }
    }
    for (size_t i = 0; i < t->n * t->lanes; i++)
        t->other.x[i] = number();
    t->disturbing = true;
    assert_int_equal(tac__ode_lanes_step(t->m, &t->problem, &t->work, &t->other,
                                         1u << below(t->lanes), 0, t1_s, h_s),
                     TAC_OK);
    t->disturbing = false;
}

// A lane leaves, steps alone, and comes back with what it knows.
static void step_outside(trial *t, size_t lane)
{
    alone *a = &t->lane[lane];
    a->ring.poison = 0;
    t->t0_s = 0.5;
    step_alone(t, lane, 0.6, 0.6 - 0.5, -1);
    memcpy(a->x, a->y, sizeof a->x);
    a->stages = false;
    if (one_in(2))
        tac__ode_carry(&a->work);
    else
        tac__ode_forget(&a->work);
    a->known = a->work.first;
}

// A lane whose step failed has no y: it begins again from x.
static void change_lane(trial *t, size_t lane)
{
    alone *a = &t->lane[lane];
    const tac__lane_set self = 1u << lane;
    const bool replace = !usable(a->x, t->n) || (!a->failed && !usable(a->y, t->n)) || one_in(10);
    switch (replace ? 6 : below(a->failed ? 2 : 6)) {
    case 0:
        tac__ode_lanes_retry(&t->work, &t->group, self);
        tac__ode_retry(&a->work);
        if (!a->stages) // lost to another group
            tac__ode_forget(&a->work);
        a->known = a->work.first;
        break;
    case 1:
        tac__ode_lanes_forget(&t->work, &t->group, self);
        tac__ode_forget(&a->work);
        a->known = a->stages = false;
        break;
    case 2: // to the end of the step, where it goes on
    case 3:
        if (!a->stages)
            tac__ode_forget(&a->work);
        tac__ode_lanes_carry(t->m, &t->work, &t->group, self);
        tac__ode_carry(&a->work);
        a->known = a->work.first;
        tac__ode_lanes_advance(t->m, &t->group, self);
        memcpy(a->x, a->y, sizeof a->x);
        break;
    case 4: // and nevertheless from its beginning again
        tac__ode_lanes_carry(t->m, &t->work, &t->group, self);
        tac__ode_lanes_retry(&t->work, &t->group, self);
        tac__ode_retry(&a->work);
        if (!a->stages)
            tac__ode_forget(&a->work);
        a->known = a->work.first;
        break;
    case 5: // a longer step: the lane waits
        break;
    default:
        draw_state(a->x, t->n);
        tac__ode_forget(&a->work);
        a->known = a->stages = false;
        if (one_in(2))
            step_outside(t, lane);
        tac__ode_work own = a->work; // the other copy goes on alone, to compare
        tac__ode_lanes_join(t->m, &t->work, &t->group, lane, a->x, &own);
        assert_false(own.first || own.again || own.started);   // all of it went to the lane
        tac__lane_get(t->lanes, lane, t->n, t->group.y, a->y); // of a lane that joins y is old
        a->known = a->known && t->method->fsal;
        if (!a->known)
            tac__ode_forget(&a->work);
    }
}

static void drawn_trial(int method, const tac__ode_lanes_method *m)
{
    static trial t;
    const size_t n = 1 + below(N_MAX), live = one_in(4) ? 1 + below(n) : n;
    trial_open(&t, method, m, n, live);
    check_lanes(&t);
    for (int round = 0; round < 8; round++) {
        const tac__lane_set all = tac__lanes_all(t.lanes);
        tac__lane_set active = one_in(3) ? all : 0;
        while (!active)
            active = (tac__lane_set)draw() & all;
        drawn_step(&t, active);
        if (one_in(6))
            disturb(&t);
        for (size_t lane = 0; lane < t.lanes; lane++) {
            const bool stepped = active >> lane & 1;
            for (size_t changes = stepped ? 1 + below(2) : below(2); changes; changes--)
                change_lane(&t, lane);
        }
        check_lanes(&t);
    }
    trial_close(&t);
}

static void test_drawn_steps(void **state)
{
    (void)state;
    for (size_t i = 0; i < WIDTHS; i++) {
        for (int method = 0; method < EXPLICIT_METHODS; method++) {
            const tac__ode_lanes_method *m = runnable(method, widths[i]);
            for (uint64_t k = 0; m && k < 60; k++) {
                seed = 1000 * (k + 1000 * (uint64_t)method) + widths[i];
                drawn_trial(method, m);
            }
        }
    }
}

// --- whole integrations -------------------------------------------------------------------------

// Two groups of lanes that share their work, each lane with tolerated errors and step lengths of
// its own, from boundary to boundary, as an engine would do it; against each problem alone.
enum { END_US = 600000, BOUNDARY_US = 200000, SHARING = 2 };

// Neighbours swing against each other, in each lane at rates of its own, and so with steps of its
// own.
static void swing_field(const ring_problem *r, double t, const double *z, double *dy)
{
    const double rate = 20 * (1.5 + r->factor);
    for (size_t i = 0; i < r->n; i++) {
        const double left = z[i ? i - 1 : r->n - 1], right = z[i + 1 < r->n ? i + 1 : 0];
        dy[i] = rate * (left - right) - z[i] + r->rate * t / (1 + z[i] * z[i]);
    }
}

static tac_status swing_alone(void *context, double t_s, double *dy)
{
    const alone *a = context;
    swing_field(&a->ring, t_s, a->work.z, dy);
    return TAC_OK;
}

typedef struct flight {
    tac_time t_us, h_us;
    int steps, rejected;
} flight;

static tac_time next_length(const flight *f)
{
    const tac_time left_us = BOUNDARY_US - f->t_us % BOUNDARY_US;
    return f->h_us < left_us ? f->h_us : left_us;
}

// The step of this length is accepted or not, and what follows.
static bool judge(const tac__method *method, flight *f, tac_time length_us, double error)
{
    f->h_us =
        (tac_time)tac_clamp((double)length_us * tac__ode_factor(method, error), 1, BOUNDARY_US);
    f->steps++;
    assert_true(f->steps < 10000); // or lanes whose errors are wrong would never arrive
    const bool accepted = !(error > 1);
    f->rejected += !accepted;
    f->t_us += accepted ? length_us : 0;
    return accepted;
}

static flight fly_alone(trial *t, size_t lane, double tolerance)
{
    alone *a = &t->lane[lane];
    flight f = {.h_us = BOUNDARY_US};
    while (f.t_us < END_US) {
        const tac_time length_us = next_length(&f);
        const double h_s = tac_time_seconds(length_us);
        assert_int_equal(tac__ode_step(t->method, &a->problem, &a->work, tac_time_seconds(f.t_us),
                                       tac_time_seconds(f.t_us + length_us), h_s, a->x, a->y),
                         TAC_OK);
        const double error =
            tac__ode_error(t->method, &a->problem, &a->work, tolerance, tolerance, h_s, a->x, a->y);
        if (judge(t->method, &f, length_us, error)) {
            tac__ode_carry(&a->work);
            memcpy(a->x, a->y, sizeof a->x);
        } else {
            tac__ode_retry(&a->work);
        }
        if (f.t_us % BOUNDARY_US == 0)
            tac__ode_forget(&a->work);
    }
    return f;
}

// Where the next step of any lane begins, and which lanes begin one there.
static tac_time earliest(const flight *f, size_t lanes, tac__lane_set *due)
{
    tac_time t_us = END_US;
    *due = 0;
    for (size_t lane = 0; lane < lanes; lane++)
        t_us = f[lane].t_us < t_us ? f[lane].t_us : t_us;
    for (size_t lane = 0; lane < lanes && t_us < END_US; lane++)
        *due |= (tac__lane_set)(f[lane].t_us == t_us) << lane;
    return t_us;
}

// Until every lane that begins a step now has been accepted.
static void step_due(trial *t, flight *f, double tolerance)
{
    tac__ode_lanes_work *w = t->shared;
    tac__lane_set due;
    const tac_time t_us = earliest(f, t->lanes, &due);
    while (due) {
        tac_time length_us[LANES];
        double t1_s[LANES], h_s[LANES], errors[LANES];
        tac__lane_set accepted = 0, boundary = 0;
        for (size_t lane = 0; lane < t->lanes; lane++) {
            length_us[lane] = next_length(&f[lane]);
            t1_s[lane] = tac_time_seconds(t_us + length_us[lane]);
            h_s[lane] = tac_time_seconds(length_us[lane]);
        }
        assert_int_equal(tac__ode_lanes_step(t->m, &t->problem, w, &t->group, due,
                                             tac_time_seconds(t_us), t1_s, h_s),
                         TAC_OK);
        tac__ode_lanes_errors(t->m, &t->problem, w, &t->group, due, tolerance, tolerance, h_s,
                              errors);
        for (size_t lane = 0; lane < t->lanes; lane++) {
            if (!(due >> lane & 1))
                continue;
            if (judge(t->method, &f[lane], length_us[lane], errors[lane]))
                accepted |= 1u << lane;
            if (f[lane].t_us % BOUNDARY_US == 0)
                boundary |= 1u << lane;
        }
        tac__ode_lanes_carry(t->m, w, &t->group, accepted);
        tac__ode_lanes_advance(t->m, &t->group, accepted);
        tac__ode_lanes_retry(w, &t->group, due & ~accepted);
        tac__ode_lanes_forget(w, &t->group, boundary & accepted);
        due &= ~accepted;
    }
}

static tac_status swing_lanes(void *context, const double *t_s, double *dy)
{
    const trial *t = context;
    for (size_t lane = 0; lane < t->lanes; lane++) {
        double z[N_MAX], dz[N_MAX];
        tac__lane_get(t->lanes, lane, t->n, t->shared->z, z);
        swing_field(&t->lane[lane].ring, t_s[lane], z, dz);
        tac__lane_put(t->lanes, lane, t->n, dz, dy);
    }
    return TAC_OK;
}

static void fly(int method, const tac__ode_lanes_method *m, double tolerance, int *rejected)
{
    static trial t[SHARING];
    flight f[SHARING][LANES] = {0};
    for (size_t g = 0; g < SHARING; g++) {
        trial_open(&t[g], method, m, 9, 9);
        t[g].problem.rhs = swing_lanes;
        t[g].shared = &t[0].work;
        for (size_t lane = 0; lane < m->lanes; lane++) {
            f[g][lane].h_us = BOUNDARY_US;
            t[g].lane[lane].problem.rhs = swing_alone;
        }
    }
    for (bool going = true; going;) {
        going = false;
        for (size_t g = 0; g < SHARING; g++) {
            tac__lane_set due;
            step_due(&t[g], f[g], tolerance);
            (void)earliest(f[g], m->lanes, &due);
            going = going || due;
        }
    }
    for (size_t g = 0; g < SHARING; g++) {
        for (size_t lane = 0; lane < m->lanes; lane++) {
            const flight expected = fly_alone(&t[g], lane, tolerance);
            assert_int_equal(f[g][lane].t_us, expected.t_us);
            assert_int_equal(f[g][lane].h_us, expected.h_us);
            assert_int_equal(f[g][lane].steps, expected.steps);
            assert_int_equal(f[g][lane].rejected, expected.rejected);
            check_array(&t[g], lane, t[g].group.x, t[g].lane[lane].x, t[g].n);
            *rejected += expected.rejected;
        }
        trial_close(&t[g]);
    }
}

static void test_whole_integrations(void **state)
{
    (void)state;
    for (size_t i = 0; i < WIDTHS; i++) {
        for (int method = 0; method < EXPLICIT_METHODS; method++) {
            const tac__ode_lanes_method *m = runnable(method, widths[i]);
            int rejected = 0;
            for (int k = 0; m && k < 3; k++) {
                seed = 77 + (uint64_t)k;
                fly(method, m, 1e-5 * pow(0.03, k), &rejected);
            }
            assert_true(!m || !m->method->adaptive || rejected > 0);
        }
    }
}

// --- what else there is -------------------------------------------------------------------------

// An evaluation of f(t0, x) that fails leaves nothing that would be taken as known.
static void test_failed_start(void **state)
{
    (void)state;
    static trial t;
    for (size_t i = 0; i < WIDTHS; i++) {
        for (int method = 0; method < EXPLICIT_METHODS; method++) {
            const tac__ode_lanes_method *m = runnable(method, widths[i]);
            if (!m)
                continue;
            const tac__lane_set all = tac__lanes_all(m->lanes);
            const double t1_s[LANES] = {1, 1, 1, 1, 1, 1, 1, 1};
            seed = 5;
            trial_open(&t, method, m, 7, 7);
            t.active = all;
            t.fail_at = 0;
            assert_int_equal(
                tac__ode_lanes_step(m, &t.problem, &t.work, &t.group, all, 0, t1_s, t1_s),
                TAC_E_NUMERIC);
            t.fail_at = -1;
            tac__ode_lanes_retry(&t.work, &t.group, all);
            t.evaluations = 0;
            assert_int_equal(
                tac__ode_lanes_step(m, &t.problem, &t.work, &t.group, all, 0, t1_s, t1_s), TAC_OK);
            assert_int_equal(t.evaluations, m->method->stages);
            trial_close(&t);
        }
    }
}

// Memory at every alignment that it may have, and not a double more than was asked for.
static void test_alignment_and_bounds(void **state)
{
    (void)state;
    for (int method = 0; method < EXPLICIT_METHODS; method++) {
        for (size_t i = 0; i < 8 * WIDTHS; i++) {
            const tac__ode_lanes_method *m =
                tac__ode_lanes_find(tac__method_find(all_methods[method]), widths[i / 8]);
            const size_t pack = m->lanes * sizeof(double);
            for (size_t n = 1; n <= 5; n++) {
                const size_t kept = tac__ode_lanes_doubles(m, n);
                const size_t shared = tac__ode_lanes_work_doubles(m, n);
                tac__ode_lanes l;
                tac__ode_lanes_work w;
                double *memory = memory_of(kept + shared), *next = memory + i % 8;
                tac__ode_lanes_init(&l, m, n, next);
                tac__ode_lanes_work_init(&w, m, n, next + kept);
                const double *const arrays[] = {l.x, l.y, l.f, w.z, w.fresh, w.k, w.t0_s};
                for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
                    assert_int_equal((uintptr_t)arrays[k] % pack, 0);
                const double *last = l.f ? l.f : l.y;
                assert_true(l.x >= next && last + n * m->lanes <= next + kept);
                assert_true(w.z >= next + kept);
                assert_true(w.t0_s == w.k + (size_t)m->method->stages * n * m->lanes);
                assert_true(w.t0_s + m->lanes <= next + kept + shared);
                free(memory);
            }
            // What is kept: x, y and at most one derivative.
            const size_t arrays = m->method->fsal ? 3 : 2;
            assert_true(tac__ode_lanes_doubles(m, 19) < (19 * arrays + 1) * m->lanes);
        }
    }
}

static void test_steps_do_not_allocate(void **state)
{
    (void)state;
    static trial t;
    for (size_t i = 0; i < WIDTHS; i++) {
        const tac__ode_lanes_method *m = runnable(3, widths[i]);
        if (!m)
            continue;
        const double h_s[LANES] = {1e-3, 2e-3, 3e-3, 4e-3, 5e-3, 6e-3, 7e-3, 8e-3};
        double errors[LANES];
        trial_open(&t, 3, m, 19, 19);
        t.disturbing = true; // compares nothing
        const struct mallinfo2 before = mallinfo2();
        for (int k = 0; k < 20; k++) {
            const tac__lane_set some = k % 2 ? 1u : tac__lanes_all(m->lanes);
            assert_int_equal(
                tac__ode_lanes_step(m, &t.problem, &t.work, &t.group, some, 0, h_s, h_s), TAC_OK);
            tac__ode_lanes_errors(m, &t.problem, &t.work, &t.group, some, 1e-6, 1e-6, h_s, errors);
            tac__ode_lanes_carry(m, &t.work, &t.group, some);
            tac__ode_lanes_advance(m, &t.group, some);
        }
        const struct mallinfo2 after = mallinfo2();
        assert_int_equal(before.uordblks, after.uordblks);
        assert_int_equal(before.fordblks, after.fordblks);
        trial_close(&t);
    }
}

// Every explicit method has every width; which of them were run here.
static void test_widths(void **state)
{
    (void)state;
    for (int method = 0; method < ALL_METHODS; method++) {
        const tac__method *found = tac__method_find(all_methods[method]);
        for (size_t lanes = 0; lanes < 20; lanes++) {
            const bool exists = !found->implicit && (lanes == 2 || lanes == 4 || lanes == 8);
            const tac__ode_lanes_method *m = tac__ode_lanes_find(found, lanes);
            assert_int_equal(m != NULL, exists);
            assert_true(!m || (m->method == found && m->lanes == lanes));
        }
    }
    for (size_t i = 0; i < WIDTHS; i++)
        print_message("%zu lanes: %s\n", widths[i],
                      runnable(0, widths[i]) ? "run"
                                             : "only compiled, this machine lacks registers");
}

TEST_MAIN(cmocka_unit_test(test_drawn_steps), cmocka_unit_test(test_whole_integrations),
          cmocka_unit_test(test_failed_start), cmocka_unit_test(test_alignment_and_bounds),
          cmocka_unit_test(test_steps_do_not_allocate), cmocka_unit_test(test_widths))

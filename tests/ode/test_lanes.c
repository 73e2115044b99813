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
    const struct trial *trial;
    ring_problem ring;
    tac__ode_problem problem;
    tac__ode_work work;
    double x[N_MAX], y[N_MAX];
    double memory[(TAC__STAGES_MAX + 16) * (N_MAX + 8)];
    int fail_at, evaluations;
    bool known;  // f(t0, x) of the next step is known, also in lanes
    bool stages; // of the last step are there, also in lanes
    bool failed; // the last step: only the first stage is defined
} alone;

typedef struct trial {
    const tac__method *method;
    const tac__ode_lanes_method *m;
    size_t lanes, n, live; // of n states the first `live` are integrated
    tac__ode_group groups[GROUPS_MAX];
    size_t group_count;
    tac__ode_lanes_problem problem;
    tac__ode_lanes group, other;
    tac__ode_lanes_work work;
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
    for (size_t lane = 0; lane < t->lanes; lane++) {
        alone *a = &t->lane[lane];
        a->trial = t;
        a->fail_at = -1;
        a->ring = (ring_problem){live, number(), 5 * number(), 0};
        a->problem = (tac__ode_problem){live, a, alone_rhs, NULL, t->groups, t->group_count};
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

// A step of some lanes, over lengths of their own, from one time on. Returns false if it was made
// to fail.
static bool drawn_step(trial *t, tac__lane_set active)
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
        return false;
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
    return true;
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
                                         tac__lanes_all(t->lanes), 0, t1_s, h_s),
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

static void change_lane(trial *t, size_t lane, bool failed)
{
    alone *a = &t->lane[lane];
    const tac__lane_set self = 1u << lane;
    const bool replace = !usable(a->x, t->n) || (!failed && !usable(a->y, t->n));
    switch (replace ? 6 : below(failed ? 2 : 6)) {
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
        tac__ode_lanes_join(t->m, &t->work, &t->group, lane, a->x, &a->work);
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
        const bool failed = !drawn_step(&t, active);
        if (one_in(6))
            disturb(&t);
        for (size_t lane = 0; lane < t.lanes; lane++) {
            // A lane whose step failed has no y: it begins again from x.
            if (active >> lane & 1)
                change_lane(&t, lane, failed);
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

TEST_MAIN(cmocka_unit_test(test_drawn_steps))

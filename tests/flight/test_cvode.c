// A flight against SUNDIALS' CVODE: from the state at the start of each interval between two
// boundaries, with the inputs and modes held there, CVODE integrates the same right-hand side with
// a relative tolerance of 1e-12. What our step ends with must agree.
#include "flight/flight.h"

#ifndef TEST_SUNDIALS

int main(void)
{
    print_message("skipped: SUNDIALS is not installed\n");
    return 77;
}

#else

#include "engine/run/integrate.h"
#include "engine/run/state.h"

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

// --- the reference ------------------------------------------------------------------------------

enum { STATES_MAX = 64 };

// The largest defect at the end of a step.
typedef struct worst {
    uint64_t steps;
    double position_m;
    double error; // over what the tolerances allow, of all groups of states
    const char *state;
    tac_time error_us;
} worst;

typedef struct reference {
    tac__island *island;
    SUNContext context;
    N_Vector y, atol;
    void *memory;
    SUNNonlinearSolver solver;
    tac_time from_us, to_us; // of the step that `end` belongs to
    double start[STATES_MAX], end[STATES_MAX];
    uint64_t intervals, evals;
    worst airborne, standing; // with no foot on the ground, and with one at least
} reference;

// Evaluating must leave no trace in the island: the scratch state and the count are put back, and
// what observers have seen there is to be computed anew.
static int rhs(sunrealtype t_s, N_Vector y, N_Vector dy, void *context)
{
    reference *r = context;
    tac__island *island = r->island;
    double kept[STATES_MAX];
    memcpy(kept, island->work.z, island->plan->x_count * sizeof *kept);
    memcpy(island->work.z, N_VGetArrayPointer(y), island->plan->x_count * sizeof *kept);
    const tac_status status =
        tac__island_rhs(island, tac_time_seconds(r->from_us) + t_s, N_VGetArrayPointer(dy));
    memcpy(island->work.z, kept, island->plan->x_count * sizeof *kept);
    island->state->evals--;
    island->peeked_us = TAC_TIME_NEVER;
    r->evals++;
    return status == TAC_OK ? 0 : 1;
}

static void reference_begin(reference *r, tac__island *island)
{
    *r = (reference){.island = island, .from_us = TAC_TIME_NEVER};
    assert_true(island->plan->x_count <= STATES_MAX);
    const sunindextype n = (sunindextype)island->plan->x_count;
    assert_int_equal(SUNContext_Create(NULL, &r->context), 0);
    r->y = N_VNew_Serial(n, r->context);
    r->atol = N_VNew_Serial(n, r->context);
    for (size_t i = 0; i < island->problem.group_count; i++) {
        const tac__ode_group *g = &island->problem.groups[i];
        for (uint32_t k = 0; k < g->count; k++)
            NV_Ith_S(r->atol, g->first + k) = 1e-14 * g->scale;
    }
    N_VConst(0, r->y);
    r->memory = CVodeCreate(CV_ADAMS, r->context);
    assert_int_equal(CVodeInit(r->memory, rhs, 0, r->y), CV_SUCCESS);
    assert_int_equal(CVodeSVtolerances(r->memory, 1e-12, r->atol), CV_SUCCESS);
    assert_int_equal(CVodeSetUserData(r->memory, r), CV_SUCCESS);
    assert_int_equal(CVodeSetMaxNumSteps(r->memory, 100000), CV_SUCCESS);
    r->solver = SUNNonlinSol_FixedPoint(r->y, 0, r->context);
    assert_int_equal(CVodeSetNonlinearSolver(r->memory, r->solver), CV_SUCCESS);
}

static void reference_end(reference *r)
{
    CVodeFree(&r->memory);
    SUNNonlinSolFree(r->solver);
    N_VDestroy(r->y);
    N_VDestroy(r->atol);
    SUNContext_Free(&r->context);
}

// From `start` at from_us to `end` at to_us. Time is counted from the start of the step.
static void reference_integrate(reference *r)
{
    const size_t bytes = r->island->plan->x_count * sizeof(double);
    const double h_s = tac_time_seconds(r->to_us - r->from_us);
    sunrealtype t_s;
    memcpy(N_VGetArrayPointer(r->y), r->start, bytes);
    assert_int_equal(CVodeReInit(r->memory, 0, r->y), CV_SUCCESS);
    assert_int_equal(CVodeSetStopTime(r->memory, h_s), CV_SUCCESS);
    assert_true(CVode(r->memory, h_s, r->y, &t_s, CV_NORMAL) >= 0);
    assert_true(t_s == h_s);
    memcpy(r->end, N_VGetArrayPointer(r->y), bytes);
}

// The error of a group of states over what its tolerances allow, as in docs/integrators.md.
static double group_error(const reference *r, const tac__ode_group *g)
{
    const tac_integrator_def *def = &r->island->engine->plan->def.integrator;
    const double *y = r->island->y + g->first, *end = r->end + g->first;
    const double error = flight_distance(y, end, g->count);
    const double before = flight_norm(r->island->x + g->first, g->count);
    const double after = flight_norm(y, g->count);
    if (g->quaternion)
        return 2 * error / (def->atol * g->scale + def->rtol);
    return error / (def->atol * g->scale + def->rtol * tac_max(before, after));
}

static const char *group_name(const tac__island *island, size_t group)
{
    const tac__component *c = island->engine->plan->components[island->plan->components[0]];
    return group < c->continuous.count ? c->continuous.items[group].name : "?";
}

static void reference_compare(reference *r)
{
    const tac__island *island = r->island;
    double down = 0;
    for (size_t i = 0; i < island->plan->event_count; i++)
        down += island->mode[i];
    worst *w = down > 0 ? &r->standing : &r->airborne;
    w->steps++;
    const double position_m = flight_distance(island->y, r->end, 3); // the body's first state
    if (!(position_m <= w->position_m))
        w->position_m = position_m;
    for (size_t i = 0; i < island->problem.group_count; i++) {
        const double error = group_error(r, &island->problem.groups[i]);
        if (error <= w->error)
            continue;
        w->error = error;
        w->error_us = r->from_us;
        w->state = group_name(island, i);
    }
}

// The step that the island has under way. One that is cut short later is looked at again.
static void reference_follow(reference *r)
{
    const tac__island_state *s = r->island->state;
    const bool boundary = s->from_us == s->at_us;
    if (s->from_us == s->to_us || (s->from_us == r->from_us && s->to_us == r->to_us))
        return;
    if (!boundary && r->from_us == TAC_TIME_NEVER) // in the middle of the first interval
        return;
    const size_t bytes = r->island->plan->x_count * sizeof(double);
    if (boundary) {
        memcpy(r->start, r->island->x, bytes);
        r->intervals += s->from_us != r->from_us;
    } else if (s->from_us != r->from_us) {
        memcpy(r->start, r->end, bytes);
    }
    r->from_us = s->from_us;
    r->to_us = s->to_us;
    reference_integrate(r);
    reference_compare(r);
}

static tac__island *island_of(rig *r, const char *state)
{
    const tac__signal *s =
        &r->engine->plan->schema.signals[tac_engine_find_signal(r->engine, state)];
    return &r->engine->islands[r->engine->plan->components[s->component]->island];
}

// Fly the whole of it, instant by instant; compare from one time to another.
static reference fly(rig *r, const char *position, tac_time from_us, tac_time to_us)
{
    reference ref;
    reference_begin(&ref, island_of(r, position));
    rig_run(r, from_us);
    reference_follow(&ref);
    while (!tac_engine_finished(r->engine) && tac_engine_time(r->engine) < to_us) {
        rig_run(r, tac_engine_next_time(r->engine));
        reference_follow(&ref);
    }
    reference_end(&ref);
    return ref;
}

// --- flights ------------------------------------------------------------------------------------

static void report(const char *what, const worst *w)
{
    print_message("%-26s %5llu steps, worst defects: position %.1e m, %s %.2g of tolerance "
                  "at %.3f s\n",
                  what, (unsigned long long)w->steps, w->position_m, w->state, w->error,
                  tac_time_seconds(w->error_us));
}

typedef struct setting {
    const char *kind, *integrator;
    // Bounds in the air and on the ground. Where equations have a corner inside a step (a current
    // that reaches zero) no error estimate is right.
    double air_m, air, ground_m, ground;
} setting;

static const setting hop_settings[] = {
    {"rk45 1e-10", "{kind: rk45, rtol: 1e-10}", 1e-11, 100, 1e-12, 1e3},
    {"dop853 1e-9", "{kind: dop853, rtol: 1e-9}", 1e-11, 10, 1e-12, 10},
    {"rodas4 1e-7", "{kind: rodas4, rtol: 1e-7}", 1e-11, 1, 1e-10, 2},
    {"rk45 1e-6", "{kind: rk45, rtol: 1e-6}", 1e-11, 10, 5e-9, 10},
    {"rk23 1e-6", "{kind: rk23, rtol: 1e-6}", 1e-8, 5, 1e-7, 100},
    {"rk4 1 ms", "{kind: rk4, h_max: 1 ms}", 1e-10, 5, 1e-4, 2e5},
};

static void check(const setting *s, const reference *r)
{
    char what[64];
    snprintf(what, sizeof what, "%s, in the air", s->kind);
    report(what, &r->airborne);
    snprintf(what, sizeof what, "%s, on the ground", s->kind);
    report(what, &r->standing);
    assert_true(r->airborne.steps > 300 && r->standing.steps > 300);
    assert_true(r->airborne.position_m <= s->air_m);
    assert_true(r->airborne.error <= s->air);
    assert_true(r->standing.position_m <= s->ground_m);
    assert_true(r->standing.error <= s->ground);
}

#define HOP "duration: 3500 ms\n"
static const char hop[] = FLIGHT_TEXT(HOP, FLIGHT_FEET, FLIGHT_HOP, "");

static void open_hop(rig *r, const char *integrator)
{
    char set[128];
    snprintf(set, sizeof set, "plant.integrator=%s", integrator);
    const char *sets[] = {set, NULL};
    flight_open(r, hop, sets);
}

static void test_hop(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hop_settings / sizeof *hop_settings; i++) {
        rig r;
        open_hop(&r, hop_settings[i].integrator);
        const reference ref = fly(&r, "vehicle.position", 0, TAC_TIME_MAX);
        check(&hop_settings[i], &ref);
        // Twelve times a foot leaves the ground or meets it; between, dampers begin and end.
        assert_in_range(tac_engine_counters(r.engine).events, 13, 40);
        rig_close(&r);
    }
}

// Comparing leaves no trace: it is this flight that was compared.
static void test_no_trace(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        rig r, plain;
        open_hop(&r, hop_settings[i].integrator);
        (void)fly(&r, "vehicle.position", 0, TAC_TIME_MAX);
        open_hop(&plain, hop_settings[i].integrator);
        rig_run(&plain, TAC_TIME_MAX);
        assert_true(tac_engine_hash(r.engine, NULL, NULL) ==
                    tac_engine_hash(plain.engine, NULL, NULL));
        const tac_counters a = tac_engine_counters(r.engine);
        const tac_counters b = tac_engine_counters(plain.engine);
        assert_memory_equal(&a, &b, sizeof a);
        rig_close(&plain);
        rig_close(&r);
    }
}

// The default mission: take-off and the way to the first corner, then the landing.
static const setting mission_settings[] = {
    {"rk45 1e-10", "{kind: rk45, rtol: 1e-10}", 1e-11, 100, 1e-11, 1e3},
    {"rk45 1e-6", "{kind: rk45, rtol: 1e-6}", 1e-11, 10, 5e-9, 50},
    {"rk23 1e-6", "{kind: rk23, rtol: 1e-6}", 1e-8, 5, 1e-7, 100},
    {"rk4 1 ms", "{kind: rk4, h_max: 1 ms}", 1e-10, 5, 1e-4, 2e5},
};

static void test_mission(void **state)
{
    (void)state;
    static const tac_time parts_us[][2] = {{2000000, 8000000}, {57000000, 61000000}};
    for (size_t i = 0; i < sizeof mission_settings / sizeof *mission_settings; i++) {
        char set[128];
        snprintf(set, sizeof set, "plant.integrator=%s", mission_settings[i].integrator);
        const char *sets[] = {set, NULL};
        rig r;
        flight_mission(&r, sets);
        for (size_t k = 0; k < 2; k++) {
            const reference ref = fly(&r, "uav.vehicle.position", parts_us[k][0], parts_us[k][1]);
            check(&mission_settings[i], &ref);
        }
        assert_true(*(const bool *)rig_read(&r, "uav.control.landed"));
        rig_close(&r);
    }
}

TEST_MAIN(cmocka_unit_test(test_hop), cmocka_unit_test(test_no_trace),
          cmocka_unit_test(test_mission))

#endif

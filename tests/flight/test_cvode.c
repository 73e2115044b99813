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

#include "engine/plan.h"

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

// --- the reference ------------------------------------------------------------------------------

enum { STATES_MAX = 64 };

typedef struct reference {
    tac__island *island;
    SUNContext context;
    N_Vector y, atol;
    void *memory;
    SUNNonlinearSolver solver;
    tac_time from_us, to_us; // of the step that `end` belongs to
    double start[STATES_MAX], end[STATES_MAX];
    uint64_t intervals, steps, evals;
    double worst_m;      // position
    double worst;        // over what the tolerances allow, of all groups
    tac_time worst_m_us, worst_us;
    const char *worst_state;
} reference;

// Evaluating must leave no trace in the island: the scratch state and the count are put back, and
// what observers have seen there is to be computed anew.
static int rhs(sunrealtype t_s, N_Vector y, N_Vector dy, void *context)
{
    reference *r = context;
    tac__island *island = r->island;
    double kept[STATES_MAX];
    memcpy(kept, island->work.z, island->x_count * sizeof *kept);
    memcpy(island->work.z, N_VGetArrayPointer(y), island->x_count * sizeof *kept);
    const tac_status status =
        tac__island_rhs(island, tac_time_seconds(r->from_us) + t_s, N_VGetArrayPointer(dy));
    memcpy(island->work.z, kept, island->x_count * sizeof *kept);
    island->state->evals--;
    island->peeked_us = TAC_TIME_NEVER;
    r->evals++;
    return status == TAC_OK ? 0 : 1;
}

static void reference_begin(reference *r, tac__island *island)
{
    *r = (reference){.island = island, .from_us = TAC_TIME_NEVER};
    assert_true(island->x_count <= STATES_MAX);
    const sunindextype n = (sunindextype)island->x_count;
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
    const size_t bytes = r->island->x_count * sizeof(double);
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
    const tac_integrator_def *def = &r->island->engine->def.integrator;
    const double *y = r->island->y + g->first, *end = r->end + g->first;
    const double error = flight_distance(y, end, g->count);
    const double before = flight_norm(r->island->x + g->first, g->count);
    const double after = flight_norm(y, g->count);
    if (g->quaternion)
        return 2 * error / (def->atol * g->scale + def->rtol);
    return error / (def->atol * g->scale + def->rtol * tac_max(before, after));
}

static void reference_compare(reference *r)
{
    const tac__island *island = r->island;
    const double position_m = flight_distance(island->y, r->end, 3); // the body's first state
    if (!(position_m <= r->worst_m)) {
        r->worst_m = position_m;
        r->worst_m_us = r->from_us;
    }
    for (size_t i = 0; i < island->problem.group_count; i++) {
        const double error = group_error(r, &island->problem.groups[i]);
        if (!(error <= r->worst)) {
            r->worst = error;
            r->worst_us = r->from_us;
            const tac_instance *c = island->engine->components[island->components[0]];
            r->worst_state = c->continuous.items[i < c->continuous.count ? i : 0].name;
        }
    }
    r->steps++;
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
    const size_t bytes = r->island->x_count * sizeof(double);
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
    const tac__signal *s = &r->engine->schema.signals[tac_engine_find_signal(r->engine, state)];
    return &r->engine->islands[r->engine->components[s->component]->island];
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

static void report(const char *what, const reference *r)
{
    print_message("%-28s %6llu intervals %6llu steps: %.3g m (%.3f s); %.3g of tolerance (%s, "
                  "%.3f s); %.1f evaluations of CVODE a step\n",
                  what, (unsigned long long)r->intervals, (unsigned long long)r->steps, r->worst_m,
                  tac_time_seconds(r->worst_m_us), r->worst, r->worst_state,
                  tac_time_seconds(r->worst_us), (double)r->evals / (double)r->steps);
}

#define HOP(top, body) FLIGHT_TEXT("duration: 4 s\n" top, body, FLIGHT_HOP, "")

static const struct {
    const char *name, *sets[4];
    double position_m, tolerances;
} settings[] = {
    {"rk45 1e-10", {"plant.integrator={kind: rk45, rtol: 1e-10}"}, 1e-10, 3},
    {"dop853 1e-10", {"plant.integrator={kind: dop853, rtol: 1e-10}"}, 1e-10, 3},
    {"rodas4 1e-9", {"plant.integrator={kind: rodas4, rtol: 1e-9}"}, 1e-9, 3},
    {"rk23 1e-6", {"plant.integrator={kind: rk23, rtol: 1e-6}"}, 1e-6, 3},
    {"rk45 1e-6", {"plant.integrator={kind: rk45, rtol: 1e-6}"}, 1e-6, 3},
    {"rk4 1 ms", {"plant.integrator={kind: rk4, h_max: 1 ms}"}, 1e-6, 3},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static void test_hop(void **state)
{
    (void)state;
    for (size_t i = 0; i < SETTINGS; i++) {
        rig r;
        flight_open(&r, HOP("", FLIGHT_FEET), settings[i].sets);
        const reference ref = fly(&r, "body.position", 0, TAC_TIME_MAX);
        report(settings[i].name, &ref);
        const double *p = rig_read(&r, "body.position"), *v = rig_read(&r, "body.velocity");
        print_message("  %llu events; %g %g %g;", (unsigned long long)tac_engine_counters(r.engine).events, p[0], p[1], p[2]);
        v = rig_read(&r, "body.velocity");
        print_message("  %g %g %g\n", v[0], v[1], v[2]);
        rig_close(&r);
    }
}

TEST_MAIN(cmocka_unit_test(test_hop))

#endif

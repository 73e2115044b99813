// The stepping core against what else there is: a hand-written loop, and SUNDIALS, on the quadrotor
// of quad.h, whose inputs change every 4 ms.
#include "bench.h"
#include "math/machine.h"
#include "ode/lanes.h"
#include "quad.h"

#include <stdlib.h>

#ifdef BENCH_SUNDIALS
#include <arkode/arkode_erkstep.h>
#include <nvector/nvector_serial.h>
#endif

static double inputs[QUAD_TICKS][QUAD_INPUTS], end[QUAD_STATES];
static const double rtol = 1e-6;

// One who flies the recorded inputs, tick by tick.
typedef struct flyer flyer;
struct flyer {
    void (*init)(flyer *f);
    void (*tick)(flyer *f, int k);
    double y[2][QUAD_STATES]; // [now] is the state
    int now;
    const double *u;
    uint64_t steps, evaluations;
    double took_s, error_m;

    const tac__method *method;
    tac__ode_problem problem;
    tac__ode_work work;
    uint64_t h_us; // carried from tick to tick
    double memory[1024];
    void *peer;
    double h_s;
};

// Ticks are timed a few at once and the best of each taken: on a shared machine whole flights are
// disturbed. Flyers take turns, so that all see the same machine.
enum { CHUNK = 25, CHUNKS = QUAD_TICKS / CHUNK, FLIGHTS = 40 };

static void fly(flyer *f, double *best)
{
    memset(f->y, 0, sizeof f->y);
    f->now = 0;
    f->steps = f->evaluations = 0;
    quad_init(f->y[0]);
    f->init(f);
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        const double start = bench_now_s();
        for (int k = chunk * CHUNK; k < (chunk + 1) * CHUNK; k++) {
            f->u = inputs[k];
            f->tick(f, k);
        }
        const double took = bench_now_s() - start;
        best[chunk] = took < best[chunk] ? took : best[chunk];
    }
    f->error_m = quad_position_error(f->y[f->now], end);
}

static void race(flyer **flyers, int count)
{
    static double best[4][CHUNKS];
    for (int i = 0; i < count; i++) {
        for (int chunk = 0; chunk < CHUNKS; chunk++)
            best[i][chunk] = 1e300;
    }
    for (int flight = 0; flight < FLIGHTS; flight++) {
        for (int i = 0; i < count; i++)
            fly(flyers[i], best[i]);
    }
    for (int i = 0; i < count; i++) {
        flyers[i]->took_s = 0;
        for (int chunk = 0; chunk < CHUNKS; chunk++)
            flyers[i]->took_s += best[i][chunk];
    }
}

// --- by hand ------------------------------------------------------------------------------------

static void hand_init(flyer *f)
{
    (void)f;
}

static void hand_tick(flyer *f, int k)
{
    (void)k;
    for (int i = 0; i < 4; i++)
        quad_rk4(f->y[0], f->u, 1e-3);
}

// --- the core -----------------------------------------------------------------------------------

static tac_status rhs(void *context, double t_s, double *dy)
{
    flyer *f = context;
    (void)t_s;
    quad_rhs(f->work.z, f->u, dy);
    f->evaluations++;
    return TAC_OK;
}

static void core_init(flyer *f)
{
    static const tac__ode_group groups[] = {
        {QUAD_POSITION, 3, 1, false},    {QUAD_VELOCITY, 3, 1, false}, {QUAD_ATTITUDE, 4, 1, true},
        {QUAD_RATE, 3, 1, false},        {QUAD_ROTOR, 4, 100, false},  {QUAD_CHARGE, 1, 1, false},
        {QUAD_POLARISATION, 1, 1, false}};
    if (tac__ode_work_doubles(f->method, QUAD_STATES) > sizeof f->memory / sizeof *f->memory)
        exit(1);
    tac__ode_work_init(&f->work, f->method, QUAD_STATES, f->memory);
    f->problem = (tac__ode_problem){QUAD_STATES, f, rhs, NULL, groups, 7};
    f->h_us = QUAD_TICK_US;
}

static tac_status core_step(flyer *f, tac_time t_us, tac_time h_us)
{
    f->steps++;
    return tac__ode_step(f->method, &f->problem, &f->work, tac_time_seconds(t_us),
                         tac_time_seconds(t_us + h_us), tac_time_seconds(h_us), f->y[f->now],
                         f->y[!f->now]);
}

static void fixed_tick(flyer *f, int k)
{
    for (int i = 0; i < 4; i++) {
        if (core_step(f, (tac_time)k * QUAD_TICK_US + (tac_time)i * 1000, 1000) != TAC_OK)
            exit(1);
        f->now = !f->now;
    }
}

// Whole microseconds; what is left of the tick in equal parts.
static void adaptive_tick(flyer *f, int k)
{
    const tac_time stop_us = (tac_time)(k + 1) * QUAD_TICK_US;
    tac_time t_us = (tac_time)k * QUAD_TICK_US;
    f->work.first = false;
    while (t_us < stop_us) {
        const tac_time left_us = stop_us - t_us;
        const tac_time parts = (left_us + f->h_us - 1) / f->h_us;
        const tac_time h_us = (left_us + parts - 1) / parts;
        const double h_s = tac_time_seconds(h_us);
        if (core_step(f, t_us, h_us) != TAC_OK)
            exit(1);
        const double error = tac__ode_error(f->method, &f->problem, &f->work, rtol, rtol, h_s,
                                            f->y[f->now], f->y[!f->now]);
        const double next_us = (double)h_us * tac__ode_factor(f->method, error);
        if (error <= 1) {
            tac__ode_carry(&f->work);
            f->now = !f->now;
            t_us += h_us;
            f->h_us = next_us > (double)f->h_us || parts == 1 ? (tac_time)next_us : f->h_us;
        } else {
            tac__ode_retry(&f->work);
            f->h_us = (tac_time)tac_max(1, next_us);
        }
    }
}

// --- SUNDIALS -----------------------------------------------------------------------------------

#ifdef BENCH_SUNDIALS

typedef struct peer {
    SUNContext context;
    N_Vector y, tolerances;
    void *arkode;
} peer;

static void check(int result)
{
    if (result < 0) {
        fprintf(stderr, "bench_ode: SUNDIALS failed with %d\n", result);
        exit(1);
    }
}

static int sundials_rhs(realtype t, N_Vector y, N_Vector dy, void *user)
{
    flyer *f = user;
    (void)t;
    quad_rhs(N_VGetArrayPointer(y), f->u, N_VGetArrayPointer(dy));
    f->evaluations++;
    return 0;
}

static void sundials_init(flyer *f)
{
    static peer p;
    if (!f->peer) {
        check(SUNContext_Create(NULL, &p.context));
        p.y = N_VMake_Serial(QUAD_STATES, f->y[0], p.context);
        p.tolerances = N_VNew_Serial(QUAD_STATES, p.context);
        for (int i = 0; i < QUAD_STATES; i++)
            N_VGetArrayPointer(p.tolerances)[i] =
                rtol * (i >= QUAD_ROTOR && i < QUAD_CHARGE ? 100 : 1);
        p.arkode = ERKStepCreate(sundials_rhs, 0, p.y, p.context);
        check(ERKStepSVtolerances(p.arkode, rtol, p.tolerances));
        check(ERKStepSetUserData(p.arkode, f));
        check(ERKStepSetTableNum(p.arkode, ARKODE_DORMAND_PRINCE_7_4_5));
        f->peer = &p;
    }
    f->h_s = 0;
}

static void sundials_tick(flyer *f, int k)
{
    const peer *p = f->peer;
    const double from_s = k * QUAD_TICK_US * 1e-6, to_s = (k + 1) * QUAD_TICK_US * 1e-6;
    double t_s = from_s, h_s;
    long steps = 0;
    check(ERKStepReInit(p->arkode, sundials_rhs, from_s, p->y));
    check(ERKStepSetInitStep(p->arkode, tac_min(f->h_s, QUAD_TICK_US * 1e-6)));
    check(ERKStepSetStopTime(p->arkode, to_s));
    check(ERKStepEvolve(p->arkode, to_s, p->y, &t_s, ARK_NORMAL));
    check(ERKStepGetNumSteps(p->arkode, &steps));
    check(ERKStepGetCurrentStep(p->arkode, &h_s));
    f->h_s = h_s > 0 ? h_s : f->h_s;
    f->steps += (uint64_t)steps;
}

#endif

// --- lanes --------------------------------------------------------------------------------------

// What the methods themselves cost, a step and a vehicle: the right-hand side does nothing. Alone
// and in lanes, with states, groups and step lengths of the quadrotor.
enum { OWN_STEPS = 200, OWN_BURSTS = 300 };

typedef struct own {
    flyer alone;
    const tac__ode_lanes_method *m; // NULL: alone
    tac__ode_lanes_problem problem;
    tac__ode_lanes group;
    tac__ode_lanes_work work;
    double memory[8 * 16 * QUAD_STATES];
    double step_ns; // of one vehicle
} own;

static tac_status no_rhs(void *context, double t_s, double *dy)
{
    (void)context, (void)t_s, (void)dy;
    return TAC_OK;
}

static tac_status no_lanes_rhs(void *context, const double *t_s, double *dy)
{
    (void)context, (void)t_s, (void)dy;
    return TAC_OK;
}

static void own_steps_alone(void *context)
{
    own *o = context;
    flyer *f = &o->alone;
    for (int i = 0; i < OWN_STEPS; i++) {
        if (tac__ode_step(f->method, &f->problem, &f->work, 0, 1e-3, 1e-3, f->y[0], f->y[1]) !=
            TAC_OK)
            exit(1);
        f->h_s =
            tac__ode_error(f->method, &f->problem, &f->work, rtol, rtol, 1e-3, f->y[0], f->y[1]);
        bench_keep(&f->h_s);
    }
}

static void own_steps_in_lanes(void *context)
{
    own *o = context;
    const tac__lane_set all = tac__lanes_all(o->m->lanes);
    const double h_s[] = {1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3};
    double errors[TAC__ODE_LANES_MAX];
    for (int i = 0; i < OWN_STEPS; i++) {
        if (tac__ode_lanes_step(o->m, &o->problem, &o->work, &o->group, all, 0, h_s, h_s) != TAC_OK)
            exit(1);
        tac__ode_lanes_errors(o->m, &o->problem, &o->work, &o->group, all, rtol, rtol, h_s, errors);
        bench_keep(errors);
    }
}

static bool own_init(own *o, const char *method, size_t lanes)
{
    o->alone.method = tac__method_find(method);
    core_init(&o->alone);
    quad_init(o->alone.y[0]);
    o->alone.problem.rhs = no_rhs;
    if (lanes == 1)
        return true;
    if (!tac__machine_has_pack((unsigned)lanes))
        return false;
    o->m = tac__ode_lanes_find(o->alone.method, lanes);
    const size_t kept = tac__ode_lanes_doubles(o->m, QUAD_STATES);
    if (kept + tac__ode_lanes_work_doubles(o->m, QUAD_STATES) > sizeof o->memory / sizeof(double))
        exit(1);
    tac__ode_lanes_init(&o->group, o->m, QUAD_STATES, o->memory);
    tac__ode_lanes_work_init(&o->work, o->m, QUAD_STATES, o->memory + kept);
    for (size_t lane = 0; lane < lanes; lane++)
        tac__ode_lanes_join(o->m, &o->work, &o->group, lane, o->alone.y[0], NULL);
    o->problem = (tac__ode_lanes_problem){QUAD_STATES, NULL, no_lanes_rhs, o->alone.problem.groups,
                                          o->alone.problem.group_count};
    return true;
}

static void report_lanes(const char *method, const char *const limits[])
{
    static own widths[4];
    memset(widths, 0, sizeof widths);
    bool runs[4];
    for (int i = 0; i < 4; i++) {
        runs[i] = own_init(&widths[i], method, (size_t)1 << i);
        widths[i].step_ns = 1e300;
    }
    // In turns, so that all see the same machine.
    for (int burst = 0; burst < OWN_BURSTS; burst++) {
        for (int i = 0; i < 4; i++) {
            own *o = &widths[i];
            if (!runs[i])
                continue;
            const double took_s = bench_best_s(i ? own_steps_in_lanes : own_steps_alone, o, 1);
            const double step_ns = took_s * 1e9 / OWN_STEPS / (double)(1 << i);
            o->step_ns = step_ns < o->step_ns ? step_ns : o->step_ns;
        }
    }
    char name[80];
    snprintf(name, sizeof name, "%s itself, 19 states, alone", method);
    bench_report(name, widths[0].step_ns, "ns", "", "a step without right-hand side");
    for (int i = 1; i < 4; i++) {
        snprintf(name, sizeof name, "%s itself in %d lanes / alone", method, 1 << i);
        if (!runs[i]) {
            bench_skip(name, "this machine has no such registers");
            continue;
        }
        char note[80];
        snprintf(note, sizeof note, "%.1f ns a vehicle", widths[i].step_ns);
        bench_report(name, widths[i].step_ns / widths[0].step_ns, "x", limits[i - 1], note);
    }
}

// --- rows ---------------------------------------------------------------------------------------

static void report(const char *name, const flyer *f)
{
    char note[120];
    snprintf(note, sizeof note, "10 s, %llu steps, %llu evaluations, position to %.1e m",
             (unsigned long long)f->steps, (unsigned long long)f->evaluations, f->error_m);
    bench_report(name, f->took_s * 1e3, "ms", "", note);
}

int main(void)
{
    static flyer hand = {.init = hand_init, .tick = hand_tick};
    static flyer rk4 = {.init = core_init, .tick = fixed_tick};
    static flyer rk45 = {.init = core_init, .tick = adaptive_tick};
    rk4.method = tac__method_find("rk4");
    rk45.method = tac__method_find("rk45");
    quad_record(inputs, end);

    race((flyer *[]){&hand, &rk4}, 2);
    report("rk4 at 1 kHz, 19 states", &rk4);
    bench_report("rk4 / a loop written by hand", rk4.took_s / hand.took_s, "x", "<= 1.15",
                 "the same right-hand side, inlined there");

#ifdef BENCH_SUNDIALS
    static flyer sundials = {.init = sundials_init, .tick = sundials_tick};
    race((flyer *[]){&rk45, &sundials}, 2);
    report("rk45 at 1e-6, 19 states", &rk45);
    report("the same by SUNDIALS", &sundials);
    bench_report("SUNDIALS ARKODE / rk45", sundials.took_s / rk45.took_s, "x", ">= 6",
                 "Dormand-Prince, step size carried over");
    bench_report("error of rk45 / SUNDIALS", rk45.error_m / sundials.error_m, "x", "<= 1",
                 "position after 10 s");
#else
    race((flyer *[]){&rk45}, 1);
    report("rk45 at 1e-6, 19 states", &rk45);
    bench_skip("SUNDIALS ARKODE / rk45", "SUNDIALS was not found when this was built");
#endif
    report_lanes("rk4", (const char *const[]){"<= 1", "<= 0.5", "<= 0.45"});
    report_lanes("rk45", (const char *const[]){"<= 1", "<= 0.45", "<= 0.4"});
    return 0;
}

// What one right-hand side of the Iris costs, and where the time goes: each row after the first
// leaves something out of the plant that the first one has.
#include "bench.h"
#include "math/machine.h"
#include "ode/lanes.h"
#include "iris_rhs.h"

#include <stdlib.h>

enum { CALLS = 1000, BURSTS = 3000 };

static void run(void *context)
{
    subject *s = context;
    for (int i = 0; i < CALLS; i++) {
        (void)plain->derive(&s->eval, &s->plant.self);
        bench_keep(s);
    }
}

static void run_outputs(void *context)
{
    subject *s = context;
    for (int i = 0; i < CALLS; i++) {
        (void)plain->output(&s->eval, &s->plant.self);
        bench_keep(s);
    }
}

static double ns(subject *s)
{
    start(s);
    return 1e9 * bench_best_s(run, s, BURSTS) / CALLS;
}

// --- lanes --------------------------------------------------------------------------------------

typedef tac_status kernel(const tac_eval *e, const void *self);
typedef tac_status state_kernel(const tac_eval *e, const void *self, double *x);

typedef struct width {
    unsigned lanes;
    kernel *derive;
    state_kernel *detect, *project;
} width;

static const width widths[] = {
    {2, tac__multirotor_derive_pack2, tac__multirotor_detect_pack2, tac__multirotor_project_pack2},
    {4, tac__multirotor_derive_pack4, tac__multirotor_detect_pack4, tac__multirotor_project_pack4},
    {8, tac__multirotor_derive_pack8, tac__multirotor_detect_pack8, tac__multirotor_project_pack8},
};

enum { LANES = 8, NUMBERS = sizeof(multirotor_numbers) / sizeof(double), EVENTS = 2 * 4 };

// Vehicles side by side, each with numbers of its own.
typedef struct packed {
    _Alignas(64) double x[LANES * IRIS_X_MAX], dx[LANES * IRIS_X_MAX];
    double in[TAC__INS][LANES * TAC__ROTORS_MAX], mode[LANES * EVENTS], numbers[LANES * NUMBERS];
    const void *at[TAC__INS];
    tac_eval eval;
    const subject *of;
    const width *w;
} packed;

static void pack(const subject *s, const width *w, size_t group, packed *q)
{
    memset(q, 0, sizeof *q);
    q->of = s;
    q->w = w;
    for (unsigned lane = 0; lane < w->lanes; lane++) {
        // A vehicle that is up to 10 % heavier, stronger, ... than the first.
        subject own = *s;
        tac__multirotor *p = &own.p;
        const double more = 1 + 0.1 * (double)((group * 7 + lane * 3) % 10) / 10;
        p->vehicle.mass_kg *= more;
        p->battery[0].r0_ohm *= 2 - more;
        for (int i = 0; i < p->vehicle.rotors; i++) {
            p->vehicle.rotor[i].propeller.kt *= more;
            p->vehicle.rotor[i].motor.resistance_ohm *= 2 - more;
        }
        start(&own);
        const double *numbers = (const double *)&own.plant.numbers;
        for (int i = 0; i < NUMBERS; i++)
            q->numbers[(unsigned)i * w->lanes + lane] = numbers[i];
        for (int i = 0; i < IRIS_X_MAX; i++)
            q->x[(unsigned)i * w->lanes + lane] = own.x[i];
        for (int i = 0; i < p->vehicle.rotors; i++)
            q->in[TAC__IN_MOTOR][(unsigned)i * w->lanes + lane] = own.ports.motor[i];
    }
    for (int k = 0; k < TAC__INS; k++)
        q->at[k] = q->in[k];
    q->eval = (tac_eval){
        .in = q->at, .x = q->x, .dx = q->dx, .mode = q->mode, .p = q->numbers, .lanes = w->lanes};
}

static void run_packs(void *context)
{
    packed *q = context;
    for (int i = 0; i < CALLS; i++) {
        (void)q->w->derive(&q->eval, &q->of->plant.self);
        bench_keep(q);
    }
}

static void report_packs(const subject *s, const width *w, const char *limit)
{
    static packed q;
    char name[40];
    snprintf(name, sizeof name, "rhs iris in %u lanes", w->lanes);
    if (!tac__machine_has_pack(w->lanes)) {
        bench_skip(name, "this machine has no such registers");
        return;
    }
    pack(s, w, 0, &q);
    bench_report(name, 1e9 * bench_best_s(run_packs, &q, BURSTS) / CALLS / w->lanes, "ns", limit,
                 "a vehicle, each with parameters of its own");
}

// --- Jacobians ----------------------------------------------------------------------------------

// The Jacobian by x as rodas4 takes it: eight columns at a time, on duals whose parameters are
// constants or duals themselves.
enum { WIDE = TAC_DUAL_WIDTH };

typedef struct duals {
    _Alignas(64) double x[WIDE * IRIS_X_MAX], dx[WIDE * IRIS_X_MAX];
    double in[TAC__INS][WIDE * TAC__ROTORS_MAX], mode[WIDE * EVENTS], numbers[WIDE * NUMBERS];
    const void *at[TAC__INS];
    tac_eval eval;
    kernel *derive;
    const void *self;
    size_t n;
} duals;

static void make_duals(subject *s, tac_kind kind, duals *d)
{
    start(s);
    memset(d, 0, sizeof *d);
    d->derive = tac__multirotor_type.kernels[kind].derive;
    d->self = &s->plant.self;
    d->n = (size_t)tac__multirotor_x_count(&s->p);
    const double *numbers = (const double *)&s->plant.numbers;
    const size_t wide = kind == TAC_DUALS ? 1 : WIDE;
    for (size_t i = 0; i < NUMBERS; i++)
        d->numbers[i * wide] = numbers[i];
    for (size_t i = 0; i < d->n; i++)
        d->x[i * WIDE] = s->x[i];
    for (size_t i = 0; i < (size_t)s->p.vehicle.rotors; i++)
        d->in[TAC__IN_MOTOR][i * WIDE] = s->ports.motor[i];
    for (int k = 0; k < TAC__INS; k++)
        d->at[k] = d->in[k];
    d->eval = s->eval;
    d->eval.in = d->at;
    d->eval.x = d->x;
    d->eval.dx = d->dx;
    d->eval.mode = d->mode;
    d->eval.p = d->numbers;
    (void)d->derive(&d->eval, d->self);
    (void)plain->derive(&s->eval, d->self);
    for (size_t i = 0; i < d->n; i++) {
        if (d->dx[i * WIDE] != s->dx[i]) // not the same plant
            abort();
    }
}

static void run_jacobian(void *context)
{
    duals *d = context;
    for (int call = 0; call < CALLS / 20; call++) {
        for (size_t first = 0; first < d->n; first += TAC_DUAL_DIRECTIONS) {
            for (size_t k = 0; k < TAC_DUAL_DIRECTIONS && first + k < d->n; k++)
                d->x[(first + k) * WIDE + 1 + k] = 1;
            (void)d->derive(&d->eval, d->self);
            bench_keep(d);
            for (size_t k = 0; k < TAC_DUAL_DIRECTIONS && first + k < d->n; k++)
                d->x[(first + k) * WIDE + 1 + k] = 0;
        }
    }
}

static void report_jacobians(subject *s)
{
    static duals constant, all;
    make_duals(s, TAC_DUALS, &constant);
    make_duals(s, TAC_DUALS_OF_ALL, &all);
    double took_s[3] = {1e300, 1e300, 1e300};
    for (int turn = 0; turn < 20; turn++) { // in turns, so that what else runs here meets all
        const double best_s[3] = {bench_best_s(run, s, BURSTS / 20) / CALLS,
                                  bench_best_s(run_jacobian, &constant, BURSTS / 20) / (CALLS / 20),
                                  bench_best_s(run_jacobian, &all, BURSTS / 20) / (CALLS / 20)};
        for (int i = 0; i < 3; i++)
            took_s[i] = best_s[i] < took_s[i] ? best_s[i] : took_s[i];
    }
    bench_report("jacobian iris", 1e9 * took_s[1], "ns", "", "by its states, as for rodas4");
    bench_report("jacobian iris / rhs iris", took_s[1] / took_s[0], "x", "<= 75",
                 "duals whose parameters are constants to plain numbers");
    bench_report("jacobian iris / jacobian on duals of all", took_s[1] / took_s[2], "x", "",
                 "parameters as constants to as duals, whose kernels use AVX2 and AVX-512");
}

// --- the plant alone ----------------------------------------------------------------------------

// As L2F and MuJoCo are measured: many vehicles, constant commands, rk4 with a step of 1 ms, modes
// and bounds after each step.
enum { VEHICLES = 512, STEPS = 4 };

typedef struct fleet {
    packed *groups;
    tac__ode_lanes *lanes;
    const tac__ode_lanes_method *method;
    tac__ode_lanes_problem problem;
    tac__ode_lanes_work work;
    const packed *now; // whose step it is
} fleet;

static tac_status fleet_rhs(void *context, const double *t_s, double *dx)
{
    const fleet *f = context;
    tac_eval e = f->now->eval;
    e.x = f->work.z;
    e.t_lanes = t_s;
    e.dx = dx;
    return f->now->w->derive(&e, &f->now->of->plant.self);
}

static void run_fleet(void *context)
{
    fleet *f = context;
    const size_t lanes = f->method->lanes;
    const double h_s[LANES] = {1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3};
    for (int step = 0; step < STEPS; step++) {
        for (size_t g = 0; g < VEHICLES / lanes; g++) {
            packed *q = &f->groups[g];
            f->now = q;
            const tac__lane_set all = tac__lanes_all(lanes);
            if (tac__ode_lanes_step(f->method, &f->problem, &f->work, &f->lanes[g], all, 0, h_s,
                                    h_s) != TAC_OK)
                abort();
            tac__ode_lanes_advance(f->method, &f->lanes[g], all);
            tac_eval e = q->eval;
            e.x = f->lanes[g].x;
            (void)q->w->detect(&e, &q->of->plant.self, q->mode);
            for (size_t i = 0; i < EVENTS * lanes; i++)
                q->mode[i] = q->mode[i] > 0;
            (void)q->w->project(&e, &q->of->plant.self, f->lanes[g].x);
        }
    }
}

static void *allocate(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!memory)
        abort();
    return memory;
}

static void report_fleet(const subject *s, const width *w, const char *limit)
{
    char name[40];
    snprintf(name, sizeof name, "plant alone in %u lanes", w->lanes);
    if (!tac__machine_has_pack(w->lanes)) {
        bench_skip(name, "this machine has no such registers");
        return;
    }
    const size_t groups = VEHICLES / w->lanes, n = (size_t)tac__multirotor_x_count(&s->p);
    fleet f = {.method = tac__ode_lanes_find(tac__method_find("rk4"), w->lanes)};
    f.problem = (tac__ode_lanes_problem){.n = n, .context = &f, .rhs = fleet_rhs};
    f.groups = allocate(groups * sizeof *f.groups);
    f.lanes = allocate(groups * sizeof *f.lanes);
    const size_t doubles = tac__ode_lanes_doubles(f.method, n);
    double *memory = allocate(groups * doubles * sizeof *memory);
    double *work = allocate(tac__ode_lanes_work_doubles(f.method, n) * sizeof *work);
    tac__ode_lanes_work_init(&f.work, f.method, n, work);
    for (size_t g = 0; g < groups; g++) {
        pack(s, w, g, &f.groups[g]);
        tac__ode_lanes_init(&f.lanes[g], f.method, n, memory + g * doubles);
        memcpy(f.lanes[g].x, f.groups[g].x, n * w->lanes * sizeof(double));
    }
    const double took_s = bench_best_s(run_fleet, &f, 500);
    bench_report(name, 1e-6 * STEPS * VEHICLES / took_s, "M/s", limit,
                 "vehicle-steps a core: rk4 at 1 ms, 512 vehicles with parameters of their own; "
                 "MuJoCo 2.2.2 has 0.17 (a free body with 4 actuators), L2F 3.95 (floats)");
    free(work);
    free(memory);
    free(f.lanes);
    free(f.groups);
}

int main(void)
{
    static subject s;
    iris_set(&s.p);
    bench_report("rhs iris", ns(&s), "ns", "<= 75", "4 rotors, a battery, 4 feet, in flight");
    report_packs(&s, &widths[0], "");
    report_packs(&s, &widths[1], "<= 28");
    report_packs(&s, &widths[2], "<= 20");
    report_fleet(&s, &widths[1], ">= 6.5");
    report_fleet(&s, &widths[2], ">= 10");
    report_jacobians(&s);

    s.p.battery[0].ideal = true;
    bench_report("rhs iris, ideal battery", ns(&s), "ns", "", "no iteration for the bus voltage");
    iris_set(&s.p);
    s.p.vehicle.rotors = s.p.batteries = s.p.buses = 0;
    bench_report("rhs body in air", ns(&s), "ns", "", "no rotors, no power");

    iris_set(&s.p);
    s.p.bus[0].load_w = 10;
    bench_report("rhs iris with avionics", ns(&s), "ns", "", "a load of 10 W");
    iris_set(&s.p);
    s.p.vehicle.actuator.kind = TAC__ACTUATOR_SECOND_ORDER;
    bench_report("rhs iris, second-order actuators", ns(&s), "ns", "", "");
    iris_set(&s.p);
    s.p.world.gravity = TAC_GRAVITY_CENTRAL;
    bench_report("rhs iris, central gravity", ns(&s), "ns", "", "");

    iris_set(&s.p);
    start(&s);
    bench_report("outputs iris", 1e9 * bench_best_s(run_outputs, &s, BURSTS) / CALLS, "ns", "",
                 "in flight, with Euler angles");
    s.p.euler = false;
    start(&s);
    bench_report("outputs iris without euler", 1e9 * bench_best_s(run_outputs, &s, BURSTS) / CALLS,
                 "ns", "", "");
    for (int i = 0; i < 4; i++)
        s.ports.mode[i] = 1;
    s.x[2] = -0.039;
    bench_report("rhs iris on the ground", 1e9 * bench_best_s(run, &s, BURSTS) / CALLS, "ns", "",
                 "all feet down");
    return 0;
}

// What one right-hand side of the Iris costs, and where the time goes: each row after the first
// leaves something out of the plant that the first one has.
#include "bench.h"
#include "math/machine.h"
#include "../tests/model/iris.h"

enum { CALLS = 1000, BURSTS = 3000 };

typedef struct subject {
    tac__multirotor p;
    iris_ports ports;
    double x[IRIS_X_MAX], dx[IRIS_X_MAX];
} subject;

static void run(void *context)
{
    subject *s = context;
    for (int i = 0; i < CALLS; i++) {
        iris_derive(&s->p, &s->ports, s->x, s->dx);
        bench_keep(s);
    }
}

// Four vehicles in the lanes of packs, all as the one.
typedef struct packed {
    const subject *s;
    _Alignas(32) double x[4 * IRIS_X_MAX], dx[4 * IRIS_X_MAX];
    _Alignas(32) double in[TAC__INS][4 * TAC__ROTORS_MAX], mode[4 * 2 * TAC__CONTACTS_MAX];
    const void *at[TAC__INS];
} packed;

static void run_packs(void *context)
{
    packed *q = context;
    for (int i = 0; i < CALLS; i++) {
        tac__multirotor_derive_pack4(&q->s->p, q->at, q->mode, q->x, q->dx);
        bench_keep(q);
    }
}

static double packs_ns(const subject *s)
{
    static packed q;
    q.s = s;
    for (int i = 0; i < 4 * IRIS_X_MAX; i++)
        q.x[i] = s->x[i / 4];
    for (int i = 0; i < 4 * s->p.vehicle.rotors; i++)
        q.in[TAC__IN_MOTOR][i] = s->ports.motor[i / 4];
    for (int k = 0; k < TAC__INS; k++)
        q.at[k] = q.in[k];
    return 1e9 * bench_best_s(run_packs, &q, BURSTS) / CALLS;
}

static void run_outputs(void *context)
{
    subject *s = context;
    for (int i = 0; i < CALLS; i++) {
        iris_output(&s->p, &s->ports, s->x);
        bench_keep(s);
    }
}

// Forward flight, 10 m up, a little tilted and turning.
static void start(subject *s)
{
    tac__multirotor_prepare(&s->p);
    iris_connect(&s->ports);
    iris_start(&s->p, s->x);
    static const double body[13] = {3, -2, -10, 4, 1, -0.5, 0.98, 0.1, -0.15, 0.05, 0.2, -0.1, 0.3};
    for (int i = 0; i < 13; i++)
        s->x[i] = body[i];
    for (int i = 0; i < s->p.vehicle.rotors; i++)
        s->ports.motor[i] = s->p.vehicle.rotor[i].hover_duty;
}

static double ns(subject *s)
{
    start(s);
    return 1e9 * bench_best_s(run, s, BURSTS) / CALLS;
}

int main(void)
{
    static subject s;
    iris_set(&s.p);
    bench_report("rhs iris", ns(&s), "ns", "<= 120", "4 rotors, a battery, 4 feet, in flight");
    if (tac__machine_has_pack(4))
        bench_report("rhs iris in lanes", packs_ns(&s) / 4, "ns", "", "of four vehicles, each");

    s.p.battery[0].ideal = true;
    bench_report("rhs iris, ideal battery", ns(&s), "ns", "", "no iteration for the bus voltage");
    iris_set(&s.p);
    s.p.vehicle.rotors = s.p.batteries = s.p.buses = 0;
    bench_report("rhs body in air", ns(&s), "ns", "", "no rotors, no power");

    iris_set(&s.p);
    s.p.bus[0].load_w = 10;
    bench_report("rhs iris with avionics", ns(&s), "ns", "", "a load of 10 W");
    iris_set(&s.p);
    s.p.actuator.kind = TAC__ACTUATOR_SECOND_ORDER;
    bench_report("rhs iris, second-order actuators", ns(&s), "ns", "", "");
    iris_set(&s.p);
    s.p.world.gravity = TAC_GRAVITY_CENTRAL;
    bench_report("rhs iris, central gravity", ns(&s), "ns", "", "");

    iris_set(&s.p);
    start(&s);
    bench_report("outputs iris", 1e9 * bench_best_s(run_outputs, &s, BURSTS) / CALLS, "ns", "",
                 "in flight, with Euler angles");
    s.p.euler = false;
    bench_report("outputs iris without euler", 1e9 * bench_best_s(run_outputs, &s, BURSTS) / CALLS,
                 "ns", "", "");
    for (int i = 0; i < 4; i++)
        s.ports.mode[i] = 1;
    s.x[2] = -0.039;
    bench_report("rhs iris on the ground", 1e9 * bench_best_s(run, &s, BURSTS) / CALLS, "ns", "",
                 "all feet down");
    return 0;
}

// What one step of flight control costs: the Iris in the air, every motor watched; alone, and as
// the component steps in lanes, where vehicles have masses of their own.
#define TAC_KIND_F64
#include "bench.h"
#include "../tests/model/iris.h"
#include "autopilot/flight_control.h"
#include "engine/run/state.h"
#include "math/machine.h"

enum { CALLS = 500, BURSTS = 1000 };

typedef struct subject {
    tac__control_shape shape;
    tac__flight flight;
    tac__mission mission;
    bool arm;
    int32_t mode;
    double position[3], velocity[3], attitude[4], rate[3];
    tac__flight_in in;
    tac__flight_numbers numbers;
    tac__flight_words words;
    tac__control_out out;
    double speed[TAC__ROTORS_MAX];
} subject;

static void run(void *context)
{
    subject *s = context;
    for (int i = 0; i < CALLS; i++) {
        uint32_t lost;
        tac__flight_step_f64(&s->shape, &s->flight, &(const tac__mission *){&s->mission}, 0.004,
                             &s->in, (tac__flight_state){&s->numbers, &s->words}, &s->out, &lost);
        // It does as it is told: a climb, then a hover.
        memcpy(s->speed, s->out.speed, sizeof s->speed);
        memcpy(s->position, s->numbers.loops.position, sizeof s->position);
        memcpy(s->velocity, s->numbers.loops.velocity, sizeof s->velocity);
        bench_keep(s);
    }
}

static void start(subject *s, const tac__vehicle *vehicle)
{
    const tac__control_tuning tuning = {1.2, 3,   0.75, 0.1, 6.6, 20, 2,  3.2,
                                        8,   0.6, 3.5,  1,   2.5, 2,  12, 0.05};
    tac__control_init(&s->flight.control, &s->shape, vehicle, &tuning);
    s->flight.acceptance_m = 1;
    s->flight.takeoff_m = 10;
    s->flight.spool_s = 0.8;
    s->attitude[0] = 1;
    s->arm = true;
    s->mode = TAC__MODE_MISSION;
    s->in = (tac__flight_in){.position = s->position,
                             .velocity = s->velocity,
                             .attitude = s->attitude,
                             .rate = s->rate,
                             .arm = &s->arm,
                             .mode = &s->mode,
                             .cruise_speed = 5,
                             .climb_speed = 2.5,
                             .descend_speed = 1.5,
                             .land_speed = 0.5,
                             .rotor_speed = s->speed};
    for (int i = 0; i < TAC__ROTORS_MAX; i++)
        s->in.voltage[i] = 12;
    tac__flight_init(&s->shape, (tac__flight_state){&s->numbers, &s->words});
    run(s);
}

// --- lanes --------------------------------------------------------------------------------------

enum { WIDTH = 8, NUMBERS = sizeof(tac__flight) / 8, STATES = sizeof(tac__flight_numbers) / 8 };

#define STEP(kind) tac_status tac__flight_control_step_##kind(tac_step *s, const void *self)
STEP(pack2);
STEP(pack4);
STEP(pack8);

typedef tac_status step_fn(tac_step *s, const void *self);

// A component in each lane; the element i of lane l is at [i * lanes + l].
typedef struct bank {
    step_fn *step;
    int lanes;
    tac__flight_control control;
    tac__flight_self self;
    tac_instance instance;
    tac_lane lane[WIDTH];
    _Alignas(64) double in[TAC__FLIGHT_INPUTS][TAC__ROTORS_MAX * WIDTH];
    double out[TAC__FLIGHT_OUTPUTS][TAC__ROTORS_MAX * WIDTH];
    double numbers[STATES * WIDTH], p[NUMBERS * WIDTH];
    int32_t words[sizeof(tac__flight_words) / 4 * WIDTH];
    const void *ins[TAC__FLIGHT_INPUTS];
    void *outs[TAC__FLIGHT_OUTPUTS], *states[2];
    tac_step s;
} bank;

static void run_bank(void *context)
{
    bank *b = context;
    const size_t vector = 3 * (size_t)b->lanes * sizeof(double);
    for (int i = 0; i < CALLS; i++) {
        (void)b->step(&b->s, &b->self);
        // As above, and rotors have the speed that is expected of them.
        const size_t at = offsetof(tac__flight_numbers, expected) / 8 * (size_t)b->lanes;
        memcpy(b->in[TAC__FLIGHT_ROTOR_SPEED], b->numbers + at, 4 * vector / 3);
        memcpy(b->in[TAC__FLIGHT_POSITION], b->numbers, vector);
        memcpy(b->in[TAC__FLIGHT_VELOCITY], b->numbers + 3 * b->lanes, vector);
        bench_keep(b);
    }
}

static void start_bank(bank *b, const subject *s, step_fn *step, int lanes)
{
    static const double speeds[] = {5, 2.5, 1.5, 0.5};
    memset(b, 0, sizeof *b);
    b->step = step;
    b->lanes = lanes;
    b->control = (tac__flight_control){.shape = s->shape, .buses = 1};
    b->self = &b->control;
    b->instance.connected = UINT64_MAX;
    b->instance.shadow = true; // no log
    tac__flight_numbers numbers;
    tac__flight_words words;
    tac__flight_init(&s->shape, (tac__flight_state){&numbers, &words});
    for (int l = 0; l < lanes; l++) {
        tac__flight flight = s->flight;
        flight.control.mass_kg *= 1 + 0.01 * l;
        for (int i = 0; i < NUMBERS; i++)
            b->p[i * lanes + l] = ((double *)&flight)[i];
        for (int i = 0; i < STATES; i++)
            b->numbers[i * lanes + l] = ((double *)&numbers)[i];
        for (int i = 0; i < (int)(sizeof words / 4); i++)
            b->words[i * lanes + l] = ((int32_t *)&words)[i];
        for (int i = 0; i < TAC__FLIGHT_SPEED_COUNT; i++)
            b->in[TAC__FLIGHT_SPEEDS + i][l] = speeds[i];
        b->in[TAC__FLIGHT_ATTITUDE][l] = 1;
        b->in[TAC__FLIGHT_BUS_VOLTAGE][l] = 12;
        ((bool *)b->in[TAC__FLIGHT_ARM])[l] = true;
        ((int32_t *)b->in[TAC__FLIGHT_MODE])[l] = TAC__MODE_MISSION;
        b->lane[l] = (tac_lane){&b->instance, &b->self};
    }
    for (int i = 0; i < TAC__FLIGHT_INPUTS; i++)
        b->ins[i] = b->in[i];
    for (int i = 0; i < TAC__FLIGHT_OUTPUTS; i++)
        b->outs[i] = b->out[i];
    b->states[0] = b->numbers;
    b->states[1] = b->words;
    b->s = (tac_step){.period_us = 4000,
                      .lanes = (uint32_t)lanes,
                      .in = b->ins,
                      .out = b->outs,
                      .state = b->states,
                      .instance = &b->instance,
                      .p = b->p,
                      .lane = b->lane};
    for (int i = 0; i < 20; i++)
        run_bank(b);
}

int main(void)
{
    static subject s;
    static bank b;
    static tac__multirotor iris;
    iris_set(&iris);
    tac__multirotor_prepare(&iris);
    start(&s, &iris.vehicle);
    bench_report("flight control iris", 1e9 * bench_best_s(run, &s, BURSTS) / CALLS, "ns", "<= 700",
                 "a step: reference, loops, allocation, duty, motors watched");

    static const struct {
        int lanes;
        step_fn *step;
        const char *name;
    } widths[] = {
        {1, tac__flight_control_step_f64, "flight control component"},
        {2, tac__flight_control_step_pack2, "flight control in 2 lanes"},
        {4, tac__flight_control_step_pack4, "flight control in 4 lanes"},
        {8, tac__flight_control_step_pack8, "flight control in 8 lanes"},
    };
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        const int lanes = widths[i].lanes;
        if (lanes > 1 && !tac__machine_has_pack((unsigned)lanes))
            continue;
        start_bank(&b, &s, widths[i].step, lanes);
        bench_report(widths[i].name, 1e9 * bench_best_s(run_bank, &b, BURSTS / 4) / CALLS / lanes,
                     "ns", "", "a vehicle, with inputs and outputs of the component");
    }
    return 0;
}

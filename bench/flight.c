// What one step of flight control costs: the Iris in the air, every motor watched.
#define TAC_KIND_F64
#include "bench.h"
#include "../tests/model/iris.h"
#include "autopilot/flight.h"

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

int main(void)
{
    static subject s;
    static tac__multirotor iris;
    iris_set(&iris);
    tac__multirotor_prepare(&iris);
    start(&s, &iris.vehicle);
    bench_report("flight control iris", 1e9 * bench_best_s(run, &s, BURSTS) / CALLS, "ns", "<= 700",
                 "a step: reference, loops, allocation, duty, motors watched");
    return 0;
}

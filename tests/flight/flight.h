// flight.h - what tests of whole flights share: the Iris in YAML, a pilot whose commands are known
// in advance, and configurations made of both.
#ifndef TAC_TESTS_FLIGHT_FLIGHT_H
#define TAC_TESTS_FLIGHT_FLIGHT_H

#include "engine/test_rig.h"

#include <math.h>
#include <tactus/math.h>

#define FLIGHT_G    9.80665
#define FLIGHT_MASS 1.5

// --- the vehicle --------------------------------------------------------------------------------

// Parameters of type `multirotor`, inside a flow map; more may follow. Motors and propellers are
// those of examples/vehicles/iris_px4lockstep.yaml, for which values have been published.
#define FLIGHT_IRIS                                                                                \
    "mass: 1.5 kg, inertia: [0.029125, 0.029125, 0.055225],"                                       \
    " rotors: [{position: [0.1515, 0.245, 0], direction: 1},"                                      \
    " {position: [-0.1515, -0.1875, 0], direction: 1},"                                            \
    " {position: [0.1515, -0.245, 0], direction: -1},"                                             \
    " {position: [-0.1515, 0.1875, 0], direction: -1}],"                                           \
    " motor: {kv: 920, resistance: 0.25, inertia: 1.2e-5, no_load_current: 0.6, max_current: 60}," \
    " propeller: {torque_ratio: 0.05}, calibration: {thrust_to_weight: 2}"
#define FLIGHT_FEET  ", feet: {radius: 0.2 m, height: 0.1 m}"
#define FLIGHT_IDEAL ", batteries: {kind: ideal, voltage: 12 V}"

// --- the pilot ----------------------------------------------------------------------------------

// Duties of four motors at given times, on straight lines between them.
enum { PILOT_MOTORS = 4, PILOT_MAX = 32 };

typedef struct pilot {
    const double *times_s, *duty;
    size_t count;
} pilot;

static inline tac_status pilot_declare(tac_declare *d, void *self)
{
    pilot *c = self;
    size_t duties;
    c->times_s = tac_param_list(d, TAC_PARAM(.name = "times", .unit = "s"), PILOT_MAX, &c->count);
    c->duty = tac_param_list(d, TAC_PARAM(.name = "duty"), PILOT_MAX * PILOT_MOTORS, &duties);
    tac_declare_output(d, TAC_PORT(.name = "motor", .type = TAC_TYPE_ARRAY(TAC_F64, PILOT_MOTORS)));
    if (duties != c->count * PILOT_MOTORS)
        return tac_declare_fail(d, "duty", "expected four numbers for each of the times");
    return TAC_OK;
}

static inline tac_status pilot_step(tac_step *s, const void *self)
{
    const pilot *c = self;
    const double t_s = tac_time_seconds(s->t_us);
    size_t k = 0;
    while (k + 1 < c->count && c->times_s[k + 1] <= t_s)
        k++;
    double part = 0;
    if (k + 1 < c->count)
        part = (t_s - c->times_s[k]) / (c->times_s[k + 1] - c->times_s[k]);
    for (size_t i = 0; i < PILOT_MOTORS; i++) {
        const double from = c->duty[k * PILOT_MOTORS + i];
        const double to = part > 0 ? c->duty[(k + 1) * PILOT_MOTORS + i] : from;
        TAC_OUT(s, double, 0)[i] = from + part * (to - from);
    }
    return TAC_OK;
}

static const tac_component_type pilot_type = {.size = sizeof(tac_component_type),
                                              .name = "pilot",
                                              .version = "1",
                                              .stage = TAC_STAGE_CONTROL,
                                              .self_size = sizeof(pilot),
                                              .declare = pilot_declare,
                                              .init = pilot_step,
                                              .kernels[TAC_NUMBERS].step = pilot_step};

// Stands for a moment, takes off, leans and turns in the wind, comes down on one foot while it
// drifts, slides, and stands again with its motors off: 3.5 s.
#define FLIGHT_HOP                                                                                 \
    "times: [0, 0.2, 0.5, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.4, 1.5, 2.7, 3.0],"                      \
    " duty: [0.00, 0.00, 0.00, 0.00,  0.05, 0.05, 0.05, 0.05,  0.76, 0.76, 0.76, 0.76,"            \
    " 0.66, 0.66, 0.66, 0.66,  0.66, 0.64, 0.64, 0.66,  0.64, 0.64, 0.64, 0.64,"                   \
    " 0.62, 0.63, 0.64, 0.62,  0.62, 0.62, 0.62, 0.62,  0.40, 0.40, 0.40, 0.40,"                   \
    " 0.40, 0.40, 0.40, 0.40,  0.57, 0.57, 0.57, 0.57,  0.57, 0.57, 0.57, 0.57,"                   \
    " 0.00, 0.00, 0.00, 0.00]"

// A whole configuration: keys at top level, parameters of the vehicle after those of the Iris, what
// the pilot does, and more components.
#define FLIGHT_TEXT(top, body, commands, more)                                                     \
    top "scheduler:\n  rate_groups:\n"                                                             \
        "    - {name: wind, rate_hz: 1000, components: [wind]}\n"                                  \
        "    - {name: control, rate_hz: 250, components: [pilot]}\n"                               \
        "components:\n"                                                                            \
        "  wind: {type: wind, params: {kind: ou, mean: [2, -1, 0]}}\n"                             \
        "  pilot: {type: pilot, params: {" commands "}}\n"                                         \
        "  vehicle:\n    type: multirotor\n    params: {" FLIGHT_IRIS body "}\n"                   \
        "    inputs: {motor: pilot.motor, wind: wind.velocity}\n" more

// --- engines ------------------------------------------------------------------------------------

// With settings "path=value", NULL at the end.
static inline tac_status flight_try(rig *r, const char *text, const char *const *sets)
{
    size_t count = 0;
    while (sets && sets[count])
        count++;
    rig_types[0] = rig_types[0] ? rig_types[0] : &pilot_type;
    return rig_try_sets(r, text, sets, count);
}

static inline void flight_open(rig *r, const char *text, const char *const *sets)
{
    if (flight_try(r, text, sets) != TAC_OK) {
        rig_show(r);
        fail_msg("cannot be built");
    }
}

// The default mission, with settings "path=value", NULL at the end.
static inline void flight_mission(rig *r, const char *const *sets)
{
    size_t count = 0;
    while (sets && sets[count])
        count++;
    rig_example(r, "iris_mission.yaml", NULL, sets, count);
}

static inline double flight_distance(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return tac_sqrt(sum);
}

static inline double flight_norm(const double *a, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * a[i];
    return tac_sqrt(sum);
}

#endif

// estimator.c - component `estimator`: position, velocity, attitude and rate as flight software
// gets them, modelled as errors on the truth; there is no filter inside.
#include "model/builtin.h"
#include "model/sensors/instrument.h"

#include <string.h>

void tac__estimate_attitude_f64(const double *q, const double *yaw, double *y);

typedef enum estimator_kind { TRUTH, NOISY } estimator_kind;
static const char *const kinds[] = {"truth", "noisy", NULL};

// In the order of inputs, outputs and channels.
static const struct {
    const char *name, *unit, *doc;
    tac_type type;
    const char *derivative;
} ports[] = {{"position", "m", "north, east, down", TAC_TYPE_VEC3, "velocity"},
             {"velocity", "m/s", "north, east, down", TAC_TYPE_VEC3, NULL},
             {"attitude", NULL, "body to NED", TAC_TYPE_QUAT, "rate"},
             {"rate", "rad/s", "about body axes", TAC_TYPE_VEC3, NULL}};
enum { POSITION, VELOCITY, ATTITUDE, RATE, PORTS };

typedef struct sample {
    double position[3], velocity[3], attitude[4], rate[3];
} sample;

// The channels. Of the attitude only the heading has an error.
static const tac__channel_def channels[PORTS] = {{.name = "position",
                                                  .unit = "m",
                                                  .doc = "errors of the position",
                                                  .count = 3,
                                                  .noise = "0.02",
                                                  .drift_tau = "50"},
                                                 {.name = "velocity",
                                                  .unit = "m/s",
                                                  .doc = "errors of the velocity",
                                                  .count = 3,
                                                  .noise = "0.05",
                                                  .drift_tau = "50"},
                                                 {.name = "yaw",
                                                  .unit = "rad",
                                                  .doc = "errors of the heading",
                                                  .count = 1,
                                                  .noise = "0.01",
                                                  .drift_tau = "50"},
                                                 {.name = "rate",
                                                  .unit = "rad/s",
                                                  .doc = "errors of the rate",
                                                  .count = 3,
                                                  .noise = "0.005",
                                                  .drift = "0.001",
                                                  .drift_tau = "50"}};

typedef struct estimator {
    tac__instrument instrument;
    int in[PORTS], out[PORTS];
} estimator;

static tac_status estimator_declare(tac_declare *d, void *self)
{
    estimator *c = self;
    const estimator_kind kind = (estimator_kind)tac_param_choice(
        d,
        TAC_PARAM(.name = "kind", .fallback = "noisy",
                  .doc = "truth: no error, no delay, whatever else is set"),
        kinds);
    for (int i = 0; i < PORTS; i++) {
        tac__instrument_channel(d, &c->instrument, &channels[i]);
        tac_port_def port = TAC_DEF(tac_port_def, .name = ports[i].name, .unit = ports[i].unit,
                                    .type = ports[i].type, .doc = ports[i].doc);
        c->in[i] = tac_declare_input(d, &port);
        port.derivative = ports[i].derivative;
        c->out[i] = tac_declare_output(d, &port);
    }
    tac__instrument_declare(d, &c->instrument, sizeof(sample) / sizeof(double), "8 ms");
    if (kind == TRUTH)
        tac__instrument_be_exact(d, &c->instrument);
    return TAC_OK;
}

static tac_status estimator_init(tac_step *s, const void *self)
{
    const estimator *c = self;
    return tac__instrument_init(s, &c->instrument);
}

static tac_status estimator_verify(tac_step *s, const void *self)
{
    const estimator *c = self;
    return tac__instrument_verify(s, &c->instrument);
}

static void measure(tac_step *s, const estimator *c, sample *now)
{
    const tac__instrument *p = &c->instrument;
    static const double straight = 0;
    double yaw;
    tac__instrument_measure(s, p, POSITION, s->in[c->in[POSITION]], now->position);
    tac__instrument_measure(s, p, VELOCITY, s->in[c->in[VELOCITY]], now->velocity);
    tac__instrument_measure(s, p, ATTITUDE, &straight, &yaw);
    tac__instrument_measure(s, p, RATE, s->in[c->in[RATE]], now->rate);
    tac__estimate_attitude_f64(s->in[c->in[ATTITUDE]], &yaw, now->attitude);
}

static tac_status estimator_step(tac_step *s, const void *self)
{
    const estimator *c = self;
    sample now = {0}, held;
    if (tac__instrument_samples(s, &c->instrument))
        measure(s, c, &now);
    const sample *due =
        (const sample *)tac__instrument_delay(s, &c->instrument, (double *)&now, (double *)&held);
    if (!due)
        return TAC_OK;
    memcpy(s->out[c->out[POSITION]], due->position, sizeof due->position);
    memcpy(s->out[c->out[VELOCITY]], due->velocity, sizeof due->velocity);
    memcpy(s->out[c->out[ATTITUDE]], due->attitude, sizeof due->attitude);
    memcpy(s->out[c->out[RATE]], due->rate, sizeof due->rate);
    return TAC_OK;
}

const tac_component_type tac__estimator_type = {
    TAC__TYPE("estimator", "2", "position, velocity, attitude and rate with noise, drift and delay",
              0),
    .stage = TAC_STAGE_ESTIMATE,
    .self_size = sizeof(estimator),
    .declare = estimator_declare,
    .init = estimator_init,
    .kernels[TAC_NUMBERS].step = estimator_step,
    .verify = estimator_verify,
};

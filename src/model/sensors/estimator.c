// estimator.c - component `estimator`: position, velocity, attitude and rate as flight software
// gets them, modelled as errors on the truth; there is no filter inside.
#define TAC_KIND_F64
#include "model/sensors/sensors.h"

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
// The channels. Of the attitude only the heading has an error.
static const tac__channel_def channels[TAC__ESTIMATE_PORTS] = {{.name = "position",
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

static tac_status estimator_declare(tac_declare *d, void *self)
{
    tac__estimator *c = self;
    const estimator_kind kind = (estimator_kind)tac_param_choice(
        d,
        TAC_PARAM(.name = "kind", .fallback = "noisy",
                  .doc = "truth: no error, no delay, whatever else is set"),
        kinds);
    for (int i = 0; i < TAC__ESTIMATE_PORTS; i++) {
        tac__instrument_channel(d, &c->instrument, &channels[i]);
        tac_port_def port = TAC_DEF(tac_port_def, .name = ports[i].name, .unit = ports[i].unit,
                                    .type = ports[i].type, .doc = ports[i].doc);
        c->in[i] = tac_declare_input(d, &port);
        port.derivative = ports[i].derivative;
        c->out[i] = tac_declare_output(d, &port);
    }
    tac__instrument_declare(d, &c->instrument, TAC__ESTIMATE_WIDTH, "8 ms");
    if (kind == TRUTH)
        tac__instrument_be_exact(d, &c->instrument);
    tac__channel numbers[TAC__ESTIMATE_PORTS];
    tac__instrument_numbers(&c->instrument, numbers);
    tac_declare_numbers(d, numbers, sizeof numbers);
    return TAC_OK;
}

static tac_status estimator_init(tac_step *s, const void *self)
{
    const tac__estimator *c = self;
    return tac__instrument_init(s, &c->instrument);
}

static tac_status estimator_verify(tac_step *s, const void *self)
{
    const tac__estimator *c = self;
    return tac__instrument_verify(s, &c->instrument);
}

static bool estimator_alike(const void *self, const void *other)
{
    const tac__estimator *a = self, *b = other;
    return tac__instrument_alike(&a->instrument, &b->instrument);
}

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .step = tac__estimator_step_##kind                                                         \
    }
const tac_component_type tac__estimator_type = {
    TAC__TYPE("estimator", "2", "position, velocity, attitude and rate with noise, drift and delay",
              0),
    .stage = TAC_STAGE_ESTIMATE,
    .self_size = sizeof(tac__estimator),
    .declare = estimator_declare,
    .init = estimator_init,
    .kernels = TAC__KERNELS(KERNELS),
    .alike = estimator_alike,
    .verify = estimator_verify,
};
#undef KERNELS

// magnetometer.c - component `magnetometer`: the field of the Earth in body axes.
#include "model/builtin.h"
#include "model/sensors/instrument.h"

#include <string.h>

void tac__magnetic_field_f64(const double ned[3], const double *q, double *body);

// Hard iron is its constant error, `bias`.
static const tac__channel_def channel = {
    .unit = "T", .count = 3, .noise = "3e-7", .range = "4e-4", .quantum = "1e-7"};

typedef struct magnetometer {
    tac__instrument instrument;
    double earth[3];
    int attitude, field;
} magnetometer;

static tac_status magnetometer_declare(tac_declare *d, void *self)
{
    magnetometer *c = self;
    tac_param_array(d,
                    TAC_PARAM(.name = "earth", .unit = "T",
                              .fallback = "[21.5e-6, 1.1e-6, 43.2e-6]",
                              .doc = "field of the Earth: north, east, down"),
                    c->earth, 3);
    tac__instrument_channel(d, &c->instrument, &channel);
    c->attitude = tac_declare_input(
        d, TAC_PORT(.name = "attitude", .type = TAC_TYPE_QUAT, .doc = "body to NED"));
    c->field = tac_declare_output(
        d, TAC_PORT(.name = "field", .type = TAC_TYPE_VEC3, .unit = "T", .doc = "in body axes"));
    tac__instrument_declare(d, &c->instrument, 3, "0");
    return TAC_OK;
}

static tac_status magnetometer_init(tac_step *s, const void *self)
{
    const magnetometer *c = self;
    return tac__instrument_init(s, &c->instrument);
}

static tac_status magnetometer_verify(tac_step *s, const void *self)
{
    const magnetometer *c = self;
    return tac__instrument_verify(s, &c->instrument);
}

static tac_status magnetometer_step(tac_step *s, const void *self)
{
    const magnetometer *c = self;
    double truth[3], sample[3], held[3];
    if (tac__instrument_samples(s, &c->instrument)) {
        tac__magnetic_field_f64(c->earth, TAC_IN(s, double, c->attitude), truth);
        tac__instrument_measure(s, &c->instrument, 0, truth, sample);
    }
    const double *due = tac__instrument_delay(s, &c->instrument, sample, held);
    if (due)
        memcpy(s->out[c->field], due, sizeof held);
    return TAC_OK;
}

const tac_component_type tac__magnetometer_type = {
    TAC__TYPE("magnetometer", "2", "the magnetic field in body axes", 0),
    .stage = TAC_STAGE_ESTIMATE,
    .self_size = sizeof(magnetometer),
    .declare = magnetometer_declare,
    .init = magnetometer_init,
    .kernels[TAC_NUMBERS].step = magnetometer_step,
    .verify = magnetometer_verify,
};

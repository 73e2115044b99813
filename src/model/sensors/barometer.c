// barometer.c - component `barometer`: static pressure, and the altitude that it stands for.
#include "model/builtin.h"
#include "model/sensors/instrument.h"

void tac__pressure_altitude_f64(const double *pressure, double *altitude);

static const tac__channel_def channel = {
    .unit = "Pa", .count = 1, .noise = "1.2", .drift = "5", .drift_tau = "300", .quantum = "0.1"};

typedef struct barometer {
    tac__instrument instrument;
    int in, pressure, altitude;
} barometer;

static tac_status barometer_declare(tac_declare *d, void *self)
{
    barometer *c = self;
    tac__instrument_channel(d, &c->instrument, &channel);
    const tac_port_def port = TAC_DEF(tac_port_def, .name = "pressure", .type = TAC_TYPE_F64,
                                      .unit = "Pa", .doc = "of the air");
    c->in = tac_declare_input(d, &port);
    c->pressure = tac_declare_output(d, &port);
    c->altitude =
        tac_declare_output(d, TAC_PORT(.name = "altitude", .type = TAC_TYPE_F64, .unit = "m",
                                       .doc = "at which the standard atmosphere "
                                              "has the measured pressure"));
    tac__instrument_declare(d, &c->instrument, 1, "0");
    return TAC_OK;
}

static tac_status barometer_init(tac_step *s, const void *self)
{
    const barometer *c = self;
    return tac__instrument_init(s, &c->instrument);
}

static tac_status barometer_verify(tac_step *s, const void *self)
{
    const barometer *c = self;
    return tac__instrument_verify(s, &c->instrument);
}

static tac_status barometer_step(tac_step *s, const void *self)
{
    const barometer *c = self;
    double sample = 0, held;
    if (tac__instrument_samples(s, &c->instrument))
        tac__instrument_measure(s, &c->instrument, 0, TAC_IN(s, double, c->in), &sample);
    const double *due = tac__instrument_delay(s, &c->instrument, &sample, &held);
    if (!due)
        return TAC_OK;
    if (!(*due > 0))
        return tac_fail(s, "a pressure of %g Pa has no altitude", *due);
    *TAC_OUT(s, double, c->pressure) = *due;
    tac__pressure_altitude_f64(due, TAC_OUT(s, double, c->altitude));
    return TAC_OK;
}

const tac_component_type tac__barometer_type = {
    TAC__TYPE("barometer", "2", "static pressure, and altitude in the standard atmosphere", 0),
    .stage = TAC_STAGE_ESTIMATE,
    .self_size = sizeof(barometer),
    .declare = barometer_declare,
    .init = barometer_init,
    .kernels[TAC_NUMBERS].step = barometer_step,
    .verify = barometer_verify,
};

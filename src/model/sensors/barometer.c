// barometer.c - component `barometer`: static pressure, and the altitude that it stands for.
#define TAC_KIND_F64
#include "model/sensors/sensors.h"

static const tac__channel_def channel = {
    .unit = "Pa", .count = 1, .noise = "1.2", .drift = "5", .drift_tau = "300", .quantum = "0.1"};

static tac_status barometer_declare(tac_declare *d, void *self)
{
    tac__barometer *c = self;
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
    tac__channel numbers[1];
    tac__instrument_numbers(&c->instrument, numbers);
    tac_declare_numbers(d, numbers, sizeof numbers);
    return TAC_OK;
}

static tac_status barometer_init(tac_step *s, const void *self)
{
    const tac__barometer *c = self;
    return tac__instrument_init(s, &c->instrument);
}

static tac_status barometer_verify(tac_step *s, const void *self)
{
    const tac__barometer *c = self;
    return tac__instrument_verify(s, &c->instrument);
}

static bool barometer_alike(const void *self, const void *other)
{
    const tac__barometer *a = self, *b = other;
    return tac__instrument_alike(&a->instrument, &b->instrument);
}

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .step = tac__barometer_step_##kind                                                         \
    }
const tac_component_type tac__barometer_type = {
    TAC__TYPE("barometer", "2", "static pressure, and altitude in the standard atmosphere", 0),
    .stage = TAC_STAGE_ESTIMATE,
    .self_size = sizeof(tac__barometer),
    .declare = barometer_declare,
    .init = barometer_init,
    .kernels = TAC__KERNELS(KERNELS),
    .alike = barometer_alike,
    .verify = barometer_verify,
};
#undef KERNELS

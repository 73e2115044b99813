// magnetometer.c - component `magnetometer`: the field of the Earth in body axes.
#define TAC_KIND_F64
#include "model/sensors/sensors.h"

// Hard iron is its constant error, `bias`.
static const tac__channel_def channel = {
    .unit = "T", .count = 3, .noise = "3e-7", .range = "4e-4", .quantum = "1e-7"};

static tac_status magnetometer_declare(tac_declare *d, void *self)
{
    tac__magnetometer *c = self;
    tac__magnetometer_numbers numbers = {.earth = {0}};
    tac_param_array(d,
                    TAC_PARAM(.name = "earth", .unit = "T",
                              .fallback = "[21.5e-6, 1.1e-6, 43.2e-6]",
                              .doc = "field of the Earth: north, east, down"),
                    numbers.earth, 3);
    tac__instrument_channel(d, &c->instrument, &channel);
    c->attitude = tac_declare_input(
        d, TAC_PORT(.name = "attitude", .type = TAC_TYPE_QUAT, .doc = "body to NED"));
    c->field = tac_declare_output(
        d, TAC_PORT(.name = "field", .type = TAC_TYPE_VEC3, .unit = "T", .doc = "in body axes"));
    tac__instrument_declare(d, &c->instrument, 3, "0");
    tac__instrument_numbers(&c->instrument, &numbers.channel);
    tac_declare_numbers(d, &numbers, sizeof numbers);
    return TAC_OK;
}

static tac_status magnetometer_init(tac_step *s, const void *self)
{
    const tac__magnetometer *c = self;
    return tac__instrument_init(s, &c->instrument);
}

static tac_status magnetometer_verify(tac_step *s, const void *self)
{
    const tac__magnetometer *c = self;
    return tac__instrument_verify(s, &c->instrument);
}

static bool magnetometer_alike(const void *self, const void *other)
{
    const tac__magnetometer *a = self, *b = other;
    return tac__instrument_alike(&a->instrument, &b->instrument);
}

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .step = tac__magnetometer_step_##kind                                                      \
    }
const tac_component_type tac__magnetometer_type = {
    TAC__TYPE("magnetometer", "2", "the magnetic field in body axes", 0),
    .stage = TAC_STAGE_ESTIMATE,
    .self_size = sizeof(tac__magnetometer),
    .declare = magnetometer_declare,
    .init = magnetometer_init,
    .kernels = TAC__KERNELS(KERNELS),
    .alike = magnetometer_alike,
    .verify = magnetometer_verify,
};
#undef KERNELS

// gps.c - component `gps`: position, also as latitude, longitude and altitude, and velocity.
#define TAC_KIND_F64
#include "model/sensors/sensors.h"

static const tac__channel_def channels[TAC__GPS_CHANNELS] = {
    {.name = "position",
     .unit = "m",
     .doc = "errors of the position in NED",
     .count = 3,
     .noise = "[0.2, 0.2, 0.4]",
     .drift = "[1, 1, 2]",
     .drift_tau = "200",
     .quantum = "0.01"},
    {.name = "velocity",
     .unit = "m/s",
     .doc = "errors of the velocity in NED",
     .count = 3,
     .noise = "[0.1, 0.1, 0.15]",
     .quantum = "0.01"}};

static const struct {
    const char *name, *unit, *doc;
} fixes[3] = {{"latitude", "rad", "of the measured position"},
              {"longitude", "rad", "of the measured position"},
              {"altitude", "m", "of the measured position"}};

static tac_status gps_declare(tac_declare *d, void *self)
{
    tac__gps *c = self;
    tac__geodesy_init(&c->geodesy, tac_declare_world(d));
    for (int i = 0; i < TAC__GPS_CHANNELS; i++) {
        tac__instrument_channel(d, &c->instrument, &channels[i]);
        const tac_port_def port =
            TAC_DEF(tac_port_def, .name = channels[i].name, .type = TAC_TYPE_VEC3,
                    .unit = channels[i].unit, .doc = "north, east, down");
        c->in[i] = tac_declare_input(d, &port);
        c->out[i] = tac_declare_output(d, &port);
    }
    for (int i = 0; i < 3; i++)
        c->fix[i] = tac_declare_output(d, TAC_PORT(.name = fixes[i].name, .type = TAC_TYPE_F64,
                                                   .unit = fixes[i].unit, .doc = fixes[i].doc));
    tac__instrument_declare(d, &c->instrument, TAC__GPS_WIDTH, "0");
    tac__channel numbers[TAC__GPS_CHANNELS];
    tac__instrument_numbers(&c->instrument, numbers);
    tac_declare_numbers(d, numbers, sizeof numbers);
    return TAC_OK;
}

static tac_status gps_init(tac_step *s, const void *self)
{
    const tac__gps *c = self;
    return tac__instrument_init(s, &c->instrument);
}

static tac_status gps_verify(tac_step *s, const void *self)
{
    const tac__gps *c = self;
    return tac__instrument_verify(s, &c->instrument);
}

static bool gps_alike(const void *self, const void *other)
{
    const tac__gps *a = self, *b = other;
    const tac__geodesy *g = &a->geodesy, *h = &b->geodesy; // the rest follows from these
    return tac__instrument_alike(&a->instrument, &b->instrument) && g->kind == h->kind &&
           g->latitude_rad == h->latitude_rad && g->longitude_rad == h->longitude_rad &&
           g->altitude_m == h->altitude_m;
}

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .step = tac__gps_step_##kind                                                               \
    }
const tac_component_type tac__gps_type = {
    TAC__TYPE("gps", "2", "position, latitude, longitude, altitude and velocity", 0),
    .stage = TAC_STAGE_ESTIMATE,
    .self_size = sizeof(tac__gps),
    .declare = gps_declare,
    .init = gps_init,
    .kernels = TAC__KERNELS(KERNELS),
    .alike = gps_alike,
    .verify = gps_verify,
};
#undef KERNELS

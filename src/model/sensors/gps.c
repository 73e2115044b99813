// gps.c - component `gps`: position, also as latitude, longitude and altitude, and velocity.
#define TAC_KIND_F64
#include "model/builtin.h"
#include "model/sensors/instrument.h"
#include "model/world/geodesy.h"

#include <string.h>

void tac__geodetic_fix_f64(const tac__geodesy *g, const double *ned, double *fix);

enum { POSITION, VELOCITY, CHANNELS, WIDTH = 6 };

static const tac__channel_def channels[CHANNELS] = {{.name = "position",
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

typedef struct gps {
    tac__instrument instrument;
    tac__geodesy geodesy;
    int in[CHANNELS], out[CHANNELS], fix[3];
} gps;

static tac_status gps_declare(tac_declare *d, void *self)
{
    gps *c = self;
    tac__geodesy_init(&c->geodesy, tac_declare_world(d));
    for (int i = 0; i < CHANNELS; i++) {
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
    tac__instrument_declare(d, &c->instrument, WIDTH, "0");
    return TAC_OK;
}

static tac_status gps_init(tac_step *s, const void *self)
{
    const gps *c = self;
    return tac__instrument_init(s, &c->instrument);
}

static tac_status gps_verify(tac_step *s, const void *self)
{
    const gps *c = self;
    return tac__instrument_verify(s, &c->instrument);
}

static tac_status gps_step(tac_step *s, const void *self)
{
    const gps *c = self;
    double sample[WIDTH], held[WIDTH], fix[3];
    const bool samples = tac__instrument_samples(s, &c->instrument);
    for (int i = 0; samples && i < CHANNELS; i++)
        tac__instrument_measure(s, &c->instrument, i, TAC_IN(s, double, c->in[i]), sample + 3 * i);
    const double *due = tac__instrument_delay(s, &c->instrument, sample, held);
    if (!due)
        return TAC_OK;
    for (int i = 0; i < CHANNELS; i++)
        memcpy(s->out[c->out[i]], due + 3 * i, 3 * sizeof *due);
    tac__geodetic_fix_f64(&c->geodesy, due, fix);
    for (int i = 0; i < 3; i++)
        *TAC_OUT(s, double, c->fix[i]) = fix[i];
    return TAC_OK;
}

const tac_component_type tac__gps_type = {
    TAC__TYPE("gps", "2", "position, latitude, longitude, altitude and velocity", 0),
    .stage = TAC_STAGE_ESTIMATE,
    .self_size = sizeof(gps),
    .declare = gps_declare,
    .init = gps_init,
    .kernels[TAC_NUMBERS].step = gps_step,
    .verify = gps_verify,
};

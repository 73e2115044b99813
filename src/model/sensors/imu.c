// imu.c - component `imu`: gyroscopes and accelerometers.
#include "model/builtin.h"
#include "model/sensors/instrument.h"

#include <string.h>

enum { GYRO, ACCEL, CHANNELS, WIDTH = 6 };

// A good MEMS part: +-2000 deg/s and +-16 g at 16 bits.
static const tac__channel_def channels[CHANNELS] = {{.name = "gyro",
                                                     .unit = "rad/s",
                                                     .doc = "of the rate",
                                                     .count = 3,
                                                     .density = "1.2e-4",
                                                     .walk = "1e-5",
                                                     .range = "34.906585",
                                                     .quantum = "1.0652644e-3"},
                                                    {.name = "accel",
                                                     .unit = "m/s^2",
                                                     .doc = "of the specific force",
                                                     .count = 3,
                                                     .density = "1.5e-3",
                                                     .walk = "1e-4",
                                                     .range = "156.9064",
                                                     .quantum = "4.7884033e-3"}};
static const char *const names[CHANNELS] = {"rate", "specific_force"};

typedef struct imu {
    tac__instrument instrument;
    int in[CHANNELS], out[CHANNELS];
} imu;

static tac_status imu_declare(tac_declare *d, void *self)
{
    imu *c = self;
    for (int i = 0; i < CHANNELS; i++) {
        tac__instrument_channel(d, &c->instrument, &channels[i]);
        const tac_port_def port = TAC_DEF(tac_port_def, .name = names[i], .type = TAC_TYPE_VEC3,
                                          .unit = channels[i].unit, .doc = "in body axes");
        c->in[i] = tac_declare_input(d, &port);
        c->out[i] = tac_declare_output(d, &port);
    }
    tac__instrument_declare(d, &c->instrument, WIDTH, "0");
    return TAC_OK;
}

static tac_status imu_init(tac_step *s, const void *self)
{
    const imu *c = self;
    return tac__instrument_init(s, &c->instrument);
}

static tac_status imu_verify(tac_step *s, const void *self)
{
    const imu *c = self;
    return tac__instrument_verify(s, &c->instrument);
}

static tac_status imu_step(tac_step *s, const void *self)
{
    const imu *c = self;
    double sample[WIDTH], held[WIDTH];
    const bool samples = tac__instrument_samples(s, &c->instrument);
    for (int i = 0; samples && i < CHANNELS; i++)
        tac__instrument_measure(s, &c->instrument, i, TAC_IN(s, double, c->in[i]), sample + 3 * i);
    const double *due = tac__instrument_delay(s, &c->instrument, sample, held);
    for (int i = 0; due && i < CHANNELS; i++)
        memcpy(s->out[c->out[i]], due + 3 * i, 3 * sizeof *due);
    return TAC_OK;
}

const tac_component_type tac__imu_type = {
    TAC__TYPE("imu", "2", "three gyroscopes and three accelerometers", 0),
    .stage = TAC_STAGE_ESTIMATE,
    .self_size = sizeof(imu),
    .declare = imu_declare,
    .init = imu_init,
    .kernels[TAC_NUMBERS].step = imu_step,
    .verify = imu_verify,
};

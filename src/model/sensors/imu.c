// imu.c - component `imu`: gyroscopes and accelerometers.
#define TAC_KIND_F64
#include "model/sensors/sensors.h"

// A good MEMS part: +-2000 deg/s and +-16 g at 16 bits.
static const tac__channel_def channels[TAC__IMU_CHANNELS] = {{.name = "gyro",
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
static const char *const names[TAC__IMU_CHANNELS] = {"rate", "specific_force"};

static tac_status imu_declare(tac_declare *d, void *self)
{
    tac__imu *c = self;
    for (int i = 0; i < TAC__IMU_CHANNELS; i++) {
        tac__instrument_channel(d, &c->instrument, &channels[i]);
        const tac_port_def port = TAC_DEF(tac_port_def, .name = names[i], .type = TAC_TYPE_VEC3,
                                          .unit = channels[i].unit, .doc = "in body axes");
        c->in[i] = tac_declare_input(d, &port);
        c->out[i] = tac_declare_output(d, &port);
    }
    tac__instrument_declare(d, &c->instrument, TAC__IMU_WIDTH, "0");
    tac__channel numbers[TAC__IMU_CHANNELS];
    tac__instrument_numbers(&c->instrument, numbers);
    tac_declare_numbers(d, numbers, sizeof numbers);
    return TAC_OK;
}

static tac_status imu_init(tac_step *s, const void *self)
{
    const tac__imu *c = self;
    return tac__instrument_init(s, &c->instrument);
}

static tac_status imu_verify(tac_step *s, const void *self)
{
    const tac__imu *c = self;
    return tac__instrument_verify(s, &c->instrument);
}

static bool imu_alike(const void *self, const void *other)
{
    const tac__imu *a = self, *b = other;
    return tac__instrument_alike(&a->instrument, &b->instrument);
}

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .step = tac__imu_step_##kind                                                               \
    }
const tac_component_type tac__imu_type = {
    TAC__TYPE("imu", "2", "three gyroscopes and three accelerometers", 0),
    .stage = TAC_STAGE_ESTIMATE,
    .self_size = sizeof(tac__imu),
    .declare = imu_declare,
    .init = imu_init,
    .kernels = TAC__KERNELS(KERNELS),
    .alike = imu_alike,
    .verify = imu_verify,
};
#undef KERNELS

// sensors.h - estimator and sensors: what their steps see of `self`, their numbers, kernels of
// sensors.model.h. A translation unit that includes this is of one scalar kind (math/real.h).
#ifndef TAC_MODEL_SENSORS_SENSORS_H
#define TAC_MODEL_SENSORS_SENSORS_H

#include "model/sensors/instrument.h"
#include "model/world/geodesy.h"

// In the order of inputs, outputs and channels.
enum {
    TAC__ESTIMATE_POSITION,
    TAC__ESTIMATE_VELOCITY,
    TAC__ESTIMATE_ATTITUDE,
    TAC__ESTIMATE_RATE,
    TAC__ESTIMATE_PORTS
};
enum { TAC__IMU_GYRO, TAC__IMU_ACCEL, TAC__IMU_CHANNELS };
enum { TAC__GPS_POSITION, TAC__GPS_VELOCITY, TAC__GPS_CHANNELS };

// Numbers in a sample.
enum { TAC__ESTIMATE_WIDTH = 13, TAC__IMU_WIDTH = 6, TAC__GPS_WIDTH = 6 };

typedef struct tac__estimator {
    tac__instrument instrument;
    int in[TAC__ESTIMATE_PORTS], out[TAC__ESTIMATE_PORTS];
} tac__estimator;

typedef struct tac__imu {
    tac__instrument instrument;
    int in[TAC__IMU_CHANNELS], out[TAC__IMU_CHANNELS];
} tac__imu;

typedef struct tac__barometer {
    tac__instrument instrument;
    int in, pressure, altitude;
} tac__barometer;

typedef struct tac__magnetometer {
    tac__instrument instrument;
    int attitude, field;
} tac__magnetometer;

typedef struct tac__magnetometer_numbers {
    tac__channel channel;
    param earth[3]; // field of the Earth: north, east, down
} tac__magnetometer_numbers;

typedef struct tac__gps {
    tac__instrument instrument;
    tac__geodesy geodesy;
    int in[TAC__GPS_CHANNELS], out[TAC__GPS_CHANNELS], fix[3];
} tac__gps;

TAC__STEP_KERNEL(tac__estimator_step)
TAC__STEP_KERNEL(tac__imu_step)
TAC__STEP_KERNEL(tac__barometer_step)
TAC__STEP_KERNEL(tac__magnetometer_step)
TAC__STEP_KERNEL(tac__gps_step)

#endif

// sensors.model.h - the steps of estimator and sensors, for every scalar kind.
#include "math/quat.h"
#include "model/arrays.h"
#include "model/sensors/measure.h"
#include "model/sensors/sensors.h"
#include "model/world/atmosphere.h"

// In packs nothing may be written before this.
#define SENSORS__TOGETHER(now)                                                                     \
    do {                                                                                           \
        if (!(now).together)                                                                       \
            return TAC_E_COMPONENT;                                                                \
    } while (0)

// --- estimator ----------------------------------------------------------------------------------

typedef struct estimate {
    real position[3], velocity[3], attitude[4], rate[3];
} estimate;

// The attitude q with a heading error: rotated about the world's down axis.
static inline void estimate_attitude(const real *q, real yaw, real *y)
{
    quat turn = quat_from_yaw(yaw);
    real c = turn.w, s = turn.z;
    y[0] = c * q[0] - s * q[3];
    y[1] = c * q[1] - s * q[2];
    y[2] = c * q[2] + s * q[1];
    y[3] = c * q[3] + s * q[0];
}

static inline void estimate_measure(tac_step *s, const tac__estimator *c, const instrument_now *now,
                                    estimate *y)
{
    const tac__instrument *p = &c->instrument;
    const real straight = R(0.0);
    real yaw;
    instrument_measure(s, p, now, TAC__ESTIMATE_POSITION, step_in(s, c->in[TAC__ESTIMATE_POSITION]),
                       y->position);
    instrument_measure(s, p, now, TAC__ESTIMATE_VELOCITY, step_in(s, c->in[TAC__ESTIMATE_VELOCITY]),
                       y->velocity);
    instrument_measure(s, p, now, TAC__ESTIMATE_ATTITUDE, &straight, &yaw);
    instrument_measure(s, p, now, TAC__ESTIMATE_RATE, step_in(s, c->in[TAC__ESTIMATE_RATE]),
                       y->rate);
    estimate_attitude(step_in(s, c->in[TAC__ESTIMATE_ATTITUDE]), yaw, y->attitude);
}

TAC_ENTRY tac_status TAC_KINDED(tac__estimator_step)(tac_step *s, const void *self)
{
    const tac__estimator *c = (const tac__estimator *)self;
    const instrument_now now = instrument_look(s, &c->instrument);
    SENSORS__TOGETHER(now);
    estimate sample, held;
    if (now.samples)
        estimate_measure(s, c, &now, &sample);
    const estimate *due = (const estimate *)instrument_delay(s, &c->instrument, &now,
                                                             (const real *)&sample, (real *)&held);
    if (!due)
        return TAC_OK;
    instrument_write(s, &now, c->out[TAC__ESTIMATE_POSITION], due->position, 3);
    instrument_write(s, &now, c->out[TAC__ESTIMATE_VELOCITY], due->velocity, 3);
    instrument_write(s, &now, c->out[TAC__ESTIMATE_ATTITUDE], due->attitude, 4);
    instrument_write(s, &now, c->out[TAC__ESTIMATE_RATE], due->rate, 3);
    return TAC_OK;
}

// --- imu ----------------------------------------------------------------------------------------

TAC_ENTRY tac_status TAC_KINDED(tac__imu_step)(tac_step *s, const void *self)
{
    const tac__imu *c = (const tac__imu *)self;
    const instrument_now now = instrument_look(s, &c->instrument);
    SENSORS__TOGETHER(now);
    real sample[TAC__IMU_WIDTH], held[TAC__IMU_WIDTH];
    for (int i = 0; now.samples && i < TAC__IMU_CHANNELS; i++)
        instrument_measure(s, &c->instrument, &now, i, step_in(s, c->in[i]), sample + 3 * i);
    const real *due = instrument_delay(s, &c->instrument, &now, sample, held);
    for (int i = 0; due && i < TAC__IMU_CHANNELS; i++)
        instrument_write(s, &now, c->out[i], due + 3 * i, 3);
    return TAC_OK;
}

// --- barometer ----------------------------------------------------------------------------------

#ifdef TAC_LANES
// More than any normal number that is drawn: the tail ends at 9.9.
#define BAROMETER__NORMAL_MAX 16.0

// Is it certain, before anything is drawn, that no lane will measure or put out a pressure that has
// no altitude?
static inline bool barometer__is_safe(const tac_step *s, const tac__barometer *c,
                                      const instrument_now *now)
{
    const tac__instrument *p = &c->instrument;
    const tac__channel_shape *shape = &p->channels[0].shape;
    const tac__channel *k = STEP_P(s, tac__channel);
    const tac__channel_state *state = instrument_state(s, p, 0);
    const int32_t *turn = instrument__turn(s, p);
    cond safe = R(0.0) <= R(0.0);
    if (now->samples) {
        real least = step_in(s, c->in)[0] + (k->bias[0] + state->drift[0] + now->bias);
        if (shape->noisy)
            least = least - BAROMETER__NORMAL_MAX * r_abs(now->factor * state->sigma[0]);
        if (shape->limited)
            least = r_min(k->range, least);
        safe = least > (shape->rounded ? r_abs(k->quantum) : R(0.0));
    }
    if (turn[TAC__TURN_FILLED * STEP_LANES] > 0) {
        const real *ring = step_state(s, p->ring);
        safe = c_and(safe, ring[turn[TAC__TURN_SLOT * STEP_LANES]] > 0.0);
    }
    return c_all(safe);
}
#endif

TAC_ENTRY tac_status TAC_KINDED(tac__barometer_step)(tac_step *s, const void *self)
{
    const tac__barometer *c = (const tac__barometer *)self;
    const instrument_now now = instrument_look(s, &c->instrument);
    SENSORS__TOGETHER(now);
#ifdef TAC_LANES
    if (!barometer__is_safe(s, c, &now))
        return TAC_E_COMPONENT;
#endif
    real sample, held;
    if (now.samples)
        instrument_measure(s, &c->instrument, &now, 0, step_in(s, c->in), &sample);
    const real *due = instrument_delay(s, &c->instrument, &now, &sample, &held);
    if (!due)
        return TAC_OK;
#ifdef TAC_KIND_F64
    if (!now.sound && instrument_holds(&now))
        return TAC_OK;
    if (!(*due > 0))
        return tac_fail(s, "a pressure of %g Pa has no altitude", *due);
#endif
    real altitude = atmosphere_altitude(*due);
    instrument_write(s, &now, c->pressure, due, 1);
    instrument_write(s, &now, c->altitude, &altitude, 1);
    return TAC_OK;
}

// --- magnetometer -------------------------------------------------------------------------------

TAC_ENTRY tac_status TAC_KINDED(tac__magnetometer_step)(tac_step *s, const void *self)
{
    const tac__magnetometer *c = (const tac__magnetometer *)self;
    const instrument_now now = instrument_look(s, &c->instrument);
    SENSORS__TOGETHER(now);
    real truth[3], sample[3], held[3];
    if (now.samples) {
        const real *q = step_in(s, c->attitude);
        const vec3 earth = params_vec3(STEP_P(s, tac__magnetometer_numbers)->earth);
        vec3_write(quat_rotate_inverse(quat_make(q[0], q[1], q[2], q[3]), earth), truth);
        instrument_measure(s, &c->instrument, &now, 0, truth, sample);
    }
    const real *due = instrument_delay(s, &c->instrument, &now, sample, held);
    if (due)
        instrument_write(s, &now, c->field, due, 3);
    return TAC_OK;
}

// --- gps ----------------------------------------------------------------------------------------

TAC_ENTRY tac_status TAC_KINDED(tac__gps_step)(tac_step *s, const void *self)
{
    const tac__gps *c = (const tac__gps *)self;
    const instrument_now now = instrument_look(s, &c->instrument);
    SENSORS__TOGETHER(now);
    real sample[TAC__GPS_WIDTH], held[TAC__GPS_WIDTH];
    for (int i = 0; now.samples && i < TAC__GPS_CHANNELS; i++)
        instrument_measure(s, &c->instrument, &now, i, step_in(s, c->in[i]), sample + 3 * i);
    const real *due = instrument_delay(s, &c->instrument, &now, sample, held);
    if (!due)
        return TAC_OK;
    for (int i = 0; i < TAC__GPS_CHANNELS; i++)
        instrument_write(s, &now, c->out[i], due + 3 * i, 3);
    const geodetic place = geodesy_from_ned(&c->geodesy, vec3_read(due));
    instrument_write(s, &now, c->fix[0], &place.latitude, 1);
    instrument_write(s, &now, c->fix[1], &place.longitude, 1);
    instrument_write(s, &now, c->fix[2], &place.altitude, 1);
    return TAC_OK;
}

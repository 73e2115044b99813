// sources.h - discrete sources: constant, sine, profile, noise, counter, circle. Their numbers,
// ports and kernels. A translation unit that includes this is of one scalar kind (math/real.h).
#ifndef TAC_MODEL_SOURCES_H
#define TAC_MODEL_SOURCES_H

#include "model/builtin.h"
#include "model/kernel.h"

enum { TAC__SOURCE_OUT };

// Of a constant kernels see its size; its numbers are the values.
typedef tac__shaped tac__constant;

// The numbers of a sine, up to its size.
typedef struct tac__sine {
    param frequency_hz;
    struct {
        param amplitude, bias, phase_rad;
    } element[TAC__SIZE_MAX];
} tac__sine;

// Its numbers are the values, one for each of the times; of a spline also a and b of math/spline.h.
enum { TAC__PROFILE_MAX = 1024 };

typedef enum tac__profile_interpolation {
    TAC__PROFILE_HOLD,
    TAC__PROFILE_LINEAR,
    TAC__PROFILE_SPLINE
} tac__profile_interpolation;

typedef struct tac__profile_source {
    tac__profile_interpolation interpolation;
    size_t count;
    tac_time times_us[TAC__PROFILE_MAX];
} tac__profile_source;

// Its numbers are the deviations.
typedef struct tac__noise {
    tac__shaped shaped;
    int stream;
} tac__noise;

enum {
    TAC__CIRCLE_POSITION,
    TAC__CIRCLE_VELOCITY,
    TAC__CIRCLE_ATTITUDE,
    TAC__CIRCLE_RATE,
};

typedef struct tac__circle {
    param radius_m, height_m, rate_rad_s;
} tac__circle;

TAC__STEP_KERNEL(tac__constant_step)
TAC__STEP_KERNEL(tac__sine_step)
TAC__STEP_KERNEL(tac__profile_step)
TAC__STEP_KERNEL(tac__noise_step)
TAC__STEP_KERNEL(tac__counter_step)
TAC__STEP_KERNEL(tac__circle_step)

#endif
